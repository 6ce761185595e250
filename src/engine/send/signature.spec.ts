import type { KeyObject } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { newSecret, parseSecret } from '../../platform/secret/signing-secret.js';
import { signatureHeader } from './signature.js';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

function key(secret: string): KeyObject {
  const parsed = parseSecret(secret);
  if (parsed === null) throw new Error(`not a secret: ${secret}`);
  return parsed;
}

describe('signatureHeader', () => {
  it('produces the published test vector', () => {
    const body = Buffer.from('{"test": 2432232314}');
    expect(signatureHeader([key(SECRET)], 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, body)).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });

  it('signs with every key, separated by spaces', () => {
    const keys = [key(SECRET), key(newSecret())];
    const each = keys.map((one) => signatureHeader([one], 'id', 1, Buffer.from('{}')));
    expect(signatureHeader(keys, 'id', 1, Buffer.from('{}'))).toBe(each.join(' '));
  });

  it('is verified by the reference library, with any of the keys, over any body', () => {
    const timestamp = Math.floor(Date.now() / 1000);
    // V8 13.6 can parse the same text in two ways if names contain backslashes.
    const json = fc.json().filter((text) => !text.includes('\\\\'));
    fc.assert(
      fc.property(json, fc.uuid(), (body, id) => {
        const secrets = [newSecret(), newSecret()];
        const signature = signatureHeader(secrets.map(key), id, timestamp, Buffer.from(body));
        const headers = {
          'webhook-id': id,
          'webhook-timestamp': `${timestamp}`,
          'webhook-signature': signature,
        };
        for (const secret of secrets)
          expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
        expect(() => new Webhook(secrets[0] ?? '').verify(`${body} `, headers)).toThrow();
        expect(() => new Webhook(newSecret()).verify(body, headers)).toThrow();
      }),
    );
  });
});
