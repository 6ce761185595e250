import { describe, expect, it } from '@jest/globals';
import { expectProblem } from '../../support/api.js';
import { TLS } from '../../support/authentication/credentials.js';
import { pemText } from '../../support/certs/der.js';
import { SQLITE } from '../../support/databases.js';
import { useService } from '../../support/fixture.js';
import { leastBlockMs } from '../support/computing.js';
import {
  certificateOf,
  dhKey,
  dsaKey,
  dsaPublicKey,
  ecKey,
  rsaKey,
  rsaPublicKey,
  slowEcPublicKey,
  x942Key,
} from '../support/hostile-certificates.js';

/** What one call may compute in one piece: it takes a few milliseconds, and some of these keys take seconds. */
const COMPUTED_MS = 60;

const keys = [
  ...[256, 512, 1024, 1900, 2950].flatMap((length) => [
    [`a DSA key of ${length} bytes`, dsaKey(length)],
    [`a DH key of ${length} bytes`, dhKey(length)],
    [`an X9.42 key of ${length} bytes`, x942Key(length)],
  ]),
  ...[160, 320, 640].flatMap((n) => [
    [`a key on a curve of its own, 2^${n}, in PKCS #8`, ecKey(n, 'PKCS8')],
    [`a key on a curve of its own, 2^${n}, in SEC 1`, ecKey(n, 'SEC1')],
    [`a key on a curve of its own, 2^${n}, behind the name of another`, ecKey(n, 'inside')],
  ]),
  ['an RSA key of 8192 bits', rsaKey({ modulus: 1024 })],
  ['an RSA key with a long exponent', rsaKey({ modulus: 512, exponent: 512 })],
  ['an RSA key with long numbers', rsaKey({ modulus: 256, others: 1000 })],
  ['an RSA key with long numbers in PKCS #1', rsaKey({ modulus: 256, others: 1000 }, 'RSA PRIVATE KEY')],
  ['an RSA key that is said to be an EC key', rsaKey({ modulus: 256 }, 'EC PRIVATE KEY')],
] as [string, string][];

const certificate = (key: Buffer) => pemText('CERTIFICATE', certificateOf({ key }));
const certificates = [
  ...[160, 320, 640].map((n) => [
    `a certificate on a curve of its own, 2^${n}`,
    certificate(slowEcPublicKey(n)),
  ]),
  ['18 certificates on a curve of its own', certificate(slowEcPublicKey(640)).repeat(18)],
  ['a certificate of a DSA key', certificate(dsaPublicKey(1250))],
  ['a certificate of a long RSA key', certificate(rsaPublicKey(2048, 3))],
  ['a certificate of a long exponent', certificate(rsaPublicKey(384, 384))],
] as [string, string][];

describe('a key that is slow to read', () => {
  const service = useService(SQLITE);

  async function expectQuickRefusal(tls: object, pointers: string[]) {
    const body = { id: '01890000-0000-7000-8000-000000000000', tls };
    const refuse = async () =>
      expectProblem(await service.call('PATCH', '/v1/webhook', body), 400, 'validation_failed', pointers);
    expect(await leastBlockMs(refuse, COMPUTED_MS)).toBeLessThan(COMPUTED_MS);
  }

  it.each(keys)('is refused unread: %s', async (_what, key) => {
    await expectQuickRefusal({ ...TLS, client_key: key }, ['/tls/client_key']);
  });

  it.each(certificates)('is refused unread: %s', async (_what, text) => {
    await expectQuickRefusal({ ...TLS, client_certificate: text }, ['/tls/client_certificate']);
    await expectQuickRefusal({ ca: text }, ['/tls/ca']);
  });
});
