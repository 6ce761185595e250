import { createSecretKey, type KeyObject } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { newSecret, parseSecret } from './signing-secret.js';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

function key(secret: string): KeyObject {
  const parsed = parseSecret(secret);
  if (parsed === null) throw new Error(`not a secret: ${secret}`);
  return parsed;
}

describe('parseSecret', () => {
  const encoded = (length: number) => `whsec_${Buffer.alloc(length, 7).toString('base64')}`;

  it.each([24, 25, 32, 63, 64])('takes %d bytes', (length) => {
    expect(key(encoded(length)).equals(createSecretKey(Buffer.alloc(length, 7)))).toBe(true);
  });

  it.each([
    ['too short', encoded(23)],
    ['too long', encoded(65)],
    ['no prefix', SECRET.slice(6)],
    ['another prefix', SECRET.replace('whsec_', 'WHSEC_')],
    ['nothing', ''],
    ['no padding', encoded(25).replaceAll('=', '')],
    ['too much padding', `${encoded(24)}=`],
    ['base64url', `whsec_${Buffer.alloc(24, 0xfb).toString('base64url')}`],
    ['white space', `${SECRET}\n`],
    ['stray bits', encoded(25).replace(/.==$/, 'x==')],
  ])('refuses: %s', (_what, secret) => {
    expect(parseSecret(secret)).toBeNull();
  });

  it('accepts the secrets of newSecret, which are all different', () => {
    const secrets = Array.from({ length: 100 }, newSecret);
    expect(new Set(secrets).size).toBe(100);
    for (const secret of secrets) expect(key(secret).symmetricKeySize).toBe(32);
  });
});
