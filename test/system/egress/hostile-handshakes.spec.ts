import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import type { NamedTls } from '../../../src/network/tls/client-tls.js';
import { post, transports, useBench } from '../../egress/transports.js';
import { integer, oid, pemText, sequence } from '../../support/certs/der.js';
import { pem } from '../../support/certs/pem.js';
import { leastBlockMs } from '../support/computing.js';
import {
  AUTHORITY,
  certificateOf,
  exclusions,
  namesExtension,
  padding,
  rsaPublicKey,
  slowEcPublicKey,
} from '../support/hostile-certificates.js';
import { ReceiverThread, type ThreadOptions } from '../support/receiver-thread.js';

/** What a handshake may compute in one piece. An ordinary one takes 3 ms. */
const COMPUTED_MS = 100;
const REFUSED = /more than 10|too long|has no key|too many names/;
const UNDICI = (transports[0] as (typeof transports)[0])[1];
const versions = ['TLSv1.2', 'TLSv1.3'] as const;

const pair = (namedCurve = 'P-256') => generateKeyPairSync('ec', { namedCurve });
const infoOf = (key: KeyObject) => key.export({ type: 'spki', format: 'der' });
const leaf = pair();
const leafKey = leaf.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
const text = (certificates: Buffer[]) => certificates.map((der) => pemText('CERTIFICATE', der)).join('');
const manyNames = (count: number) => Array.from({ length: count }, (_, n) => n.toString(36));
/** The certificate of an authority with the receivers' own key. */
const authority = (...extensions: Buffer[]) =>
  certificateOf({
    subject: 'ca0',
    issuer: 'ca0',
    key: infoOf(leaf.publicKey),
    signer: leaf.privateKey,
    extensions: [AUTHORITY, ...extensions],
  });

/** A chain of authorities above a receiver's certificate. What nobody has signed is checked all the same. */
function chainOf(keys: Buffer[], { names = ['receiver.test'], excluded = [] as string[] } = {}): string {
  const authorities = keys.map((key, n) =>
    certificateOf({
      subject: `ca${n}`,
      issuer: `ca${n + 1}`,
      key,
      ...signedBy(keys[n + 1]),
      extensions: [AUTHORITY, ...(excluded.length === 0 ? [] : [exclusions(excluded)])],
    }),
  );
  const extensions = [namesExtension(names)];
  const key = infoOf(leaf.publicKey);
  return text([
    certificateOf({ subject: 'leaf', issuer: 'ca0', key, extensions, ...signedBy(keys[0]) }),
    ...authorities,
  ]);
}
const number = (bytes: number) => integer(BigInt(`0x${randomBytes(bytes).toString('hex')}`));
const RSA = oid('1.2.840.113549.1.1.1');

/** A signature that has to be computed to be found wrong. */
const signedBy = (key: Buffer | undefined) =>
  key?.includes(RSA)
    ? {
        algorithm: sequence(oid('1.2.840.113549.1.1.11'), Buffer.from([5, 0])),
        signature: Buffer.concat([Buffer.alloc(1), randomBytes(383)]),
      }
    : { signature: sequence(number(31), number(31)) };
const times = <T>(count: number, make: () => T) => Array.from({ length: count }, make);

const refused: [string, () => string][] = [
  [
    'names below 32 authorities with exclusions',
    () =>
      chainOf(
        times(32, () => infoOf(pair().publicKey)),
        { names: manyNames(7000), excluded: manyNames(140) },
      ),
  ],
  ['certificates on curves of their own', () => chainOf(times(4, () => slowEcPublicKey(640)))],
  ['RSA keys with long exponents', () => chainOf(times(3, () => rsaPublicKey(384, 384)))],
  ['50 keys on P-521', () => chainOf(times(50, () => infoOf(pair('P-521').publicKey)))],
  [
    'names and constraints',
    () => chainOf([infoOf(pair().publicKey)], { names: manyNames(2000), excluded: manyNames(500) }),
  ],
];

const untrusted: [string, () => string][] = [
  ['9 keys on P-521', () => chainOf(times(9, () => infoOf(pair('P-521').publicKey)))],
  ['9 Brainpool keys', () => chainOf(times(9, () => infoOf(pair('brainpoolP512r1').publicKey)))],
  ['9 RSA keys of 3072 bits', () => chainOf(times(9, () => rsaPublicKey(384, 8)))],
  [
    'names and constraints',
    () => chainOf([infoOf(pair().publicKey)], { names: manyNames(2000), excluded: manyNames(120) }),
  ],
  ['2,000 names', () => chainOf([], { names: manyNames(2000) })],
];

describe.each(versions)('a handshake of %s', (version) => {
  const bench = useBench(UNDICI);

  const receiverOf = async (options: ThreadOptions) =>
    bench.closed(await ReceiverThread.start({ minVersion: version, maxVersion: version, ...options }));
  const transportOf = (ca?: string) =>
    bench.transport({ resolve: async () => ['127.0.0.1'], ...(ca !== undefined && { ca }) });

  async function expectQuickFailure(options: ThreadOptions, tls?: NamedTls): Promise<string | undefined> {
    const receiver = await receiverOf(options);
    const transport = transportOf();
    let message: string | undefined;
    const fail = async () => {
      const { error } = await post(transport, `https://receiver.test:${receiver.port}`, tls && { tls });
      expect(error?.code).toBe('tls');
      message = error?.message;
    };
    expect(await leastBlockMs(fail, COMPUTED_MS)).toBeLessThan(COMPUTED_MS);
    return message;
  }

  it.each(refused)('is given up before the certificates are read: %s', async (_what, chain) => {
    expect(await expectQuickFailure({ key: leafKey, cert: chain() })).toMatch(REFUSED);
  });

  it.each(untrusted)('computes little for an untrusted chain: %s', async (_what, chain) => {
    expect(await expectQuickFailure({ key: leafKey, cert: chain() })).not.toMatch(REFUSED);
  });

  it('counts the authorities of the webhook, too', async () => {
    const cert = chainOf([], { names: manyNames(2000) });
    const ca = text([authority(exclusions(manyNames(500)))]);
    const tls = { id: 'a', certificate: null, key: null, ca };
    expect(await expectQuickFailure({ key: leafKey, cert }, tls)).toMatch(/too many names/);
  });

  it('succeeds with four certificates of 15 KB, in whatever pieces they come', async () => {
    const keys = times(4, () => pair());
    const certificates = keys.map(({ publicKey }, n) =>
      certificateOf({
        subject: `ca${n}`,
        issuer: `ca${Math.min(n + 1, 3)}`,
        key: infoOf(publicKey),
        signer: (keys[Math.min(n + 1, 3)] as (typeof keys)[0]).privateKey,
        extensions: [padding(3500), n === 0 ? namesExtension(['receiver.test']) : AUTHORITY],
      }),
    );
    const key = keys[0]?.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    const receiver = await receiverOf({ key, cert: text(certificates) });
    for (const size of [1, 7, 1000, 100_000]) {
      const transport = bench.transport({
        resolve: async () => ['127.0.0.1'],
        ca: text(certificates.slice(3)),
        connectTcp: (options) => inPieces(connect(options), size),
      });
      const { response } = await post(transport, `https://receiver.test:${receiver.port}`);
      expect(response).toMatchObject({ status: 200, body: 'received' });
    }
  });

  it.each([
    ...(version === 'TLSv1.2'
      ? ['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-ECDSA-AES256-SHA384']
      : ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256']),
  ])('succeeds with %s, also where the server wants another group', async (ciphers) => {
    for (const ecdhCurve of ['auto', 'P-521']) {
      const receiver = await receiverOf({
        key: pem('valid.key'),
        cert: pem('valid.cert'),
        ciphers,
        ecdhCurve,
      });
      const succeed = async () => {
        const { response } = await post(
          transportOf(pem('valid.cert')),
          `https://receiver.test:${receiver.port}`,
        );
        expect(response?.body).toBe('received');
      };
      expect(await leastBlockMs(succeed, COMPUTED_MS)).toBeLessThan(COMPUTED_MS);
    }
  });
});

describe('TLS 1.2', () => {
  const bench = useBench(UNDICI);
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const cert = certificateOf({
    issuer: 'ca0',
    key: infoOf(rsa.publicKey),
    signer: leaf.privateKey,
    extensions: [namesExtension(['receiver.test'])],
  });
  const key = rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

  /** What a receiver with an RSA key answers. */
  async function exchange(options: Partial<ThreadOptions>) {
    const shown = { key, cert: text([cert]), maxVersion: 'TLSv1.2' };
    const receiver = bench.closed(await ReceiverThread.start({ ...shown, ...options }));
    const transport = bench.transport({ resolve: async () => ['127.0.0.1'], ca: text([authority()]) });
    const { response, error } = await post(transport, `https://receiver.test:${receiver.port}`);
    return response?.body ?? error?.code;
  }

  it.each([
    ['ECDHE-RSA-AES128-GCM-SHA256', 'received'],
    ['AES256-GCM-SHA384', 'received'],
    // The server chooses the group, in which a key may take a second.
    ['DHE-RSA-AES128-GCM-SHA256', 'tls'],
  ])('with %s: %s', async (ciphers, outcome) => {
    expect(await exchange({ ciphers, dhparam: 'auto' })).toBe(outcome);
  });

  it('is spoken with one handshake: a server may not show other certificates later', async () => {
    expect(await exchange({})).toBe('received');
    expect(await exchange({ renegotiates: true })).toBe('tls');
  });
});

/** A connection whose bytes are read in pieces of this size. */
function inPieces(socket: Socket, size: number): Socket {
  const emit = socket.emit.bind(socket) as (event: string, ...values: unknown[]) => boolean;
  socket.emit = (event: string, ...values: unknown[]) => {
    const [chunk] = values;
    if (event !== 'data' || !Buffer.isBuffer(chunk)) return emit(event, ...values);
    for (let at = 0; at < chunk.length; at += size) emit('data', chunk.subarray(at, at + size));
    return true;
  };
  return socket;
}
