import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '../platform/config/config-error.js';
import { loadConfig } from '../platform/config/load-config.js';
import { checkedSettings, vaultKeysOf } from './webhook-options.js';

const encryptionKeys = `k1:${Buffer.alloc(32, 1).toString('base64')}`;

describe('checkedSettings', () => {
  it('has the defaults of the service in production, except that deliveries are gentle', () => {
    const { role, egress, delivery, retention, intake, ...config } = loadConfig({
      NODE_ENV: 'production',
      ENCRYPTION_KEYS: encryptionKeys,
    });
    const { webhooksPerUser, rateLimitPerMinute } = config;
    const { notificationRateLimitPerMinute, unauthenticatedRateLimitPerMinute } = config;
    expect(checkedSettings({ encryptionKeys })).toEqual({
      role,
      egress,
      delivery: { ...delivery, gentle: true },
      intake,
      retention,
      webhooksPerUser,
      rateLimitPerMinute,
      notificationRateLimitPerMinute,
      unauthenticatedRateLimitPerMinute,
    });
  });

  it('keeps the defaults of the other options in a group when some are given', () => {
    const { delivery, egress } = checkedSettings({
      encryptionKeys,
      delivery: { timeoutMs: 2000 },
      egress: { allowedNetworks: ['10.1.0.0/16', '::1'] },
    });
    expect(delivery).toMatchObject({ timeoutMs: 2000, concurrency: 256 });
    expect(egress).toMatchObject({ allowHttp: true, allowedNetworks: ['10.1.0.0/16', '::1/128'] });
  });

  it('names every invalid option', () => {
    const wrong = {
      encryptionKeys,
      role: 'boss',
      delivery: { timeoutMs: 60_000, retryScheduleMs: [] },
      egress: { allowedNetworks: ['here'], proxy: 'ftp://x' },
    };
    expect(() => checkedSettings(wrong as never)).toThrow(
      /role: .*\n {2}egress\.allowedNetworks\.0: .*\n {2}egress\.proxy: .*\n {2}delivery\.timeoutMs: .*\n {2}delivery\.retryScheduleMs: /,
    );
  });
});

describe('vaultKeysOf', () => {
  it('takes keys as the text of ENCRYPTION_KEYS or as objects', () => {
    const key = { id: 'k1', key: Buffer.alloc(32, 1) };
    expect(vaultKeysOf({ encryptionKeys })).toEqual([key]);
    expect(vaultKeysOf({ encryptionKeys: [key] })).toEqual([key]);
  });

  const key = Buffer.alloc(32, 1);
  const base64 = key.toString('base64');

  it.each([
    [
      undefined,
      /is missing; if it comes from an environment variable, set that one; write id:key, .*make one with/,
    ],
    [null, 'is missing'],
    [7, 'must be a text or a list'],
    ['', 'is empty; write id:key'],
    [' ', 'is empty; write id:key'],
    ['k1', 'entry 1 has no colon between an id and a key; write id:key'],
    [base64, 'entry 1 has no colon'],
    [`:${base64}`, 'entry 1 must begin with an id of 1 to 32 letters, digits, _ or -'],
    [`k.1:${base64}`, 'entry 1 must begin with an id'],
    [`k1:${base64},`, 'entry 2 is empty: there is a comma too many'],
    ['k1:short', 'entry 1 has a key that is not base64'],
    [
      `k1:${base64.slice(0, -1)}`,
      'entry 1 has a key that is not base64, with + and / (not - and _) and = at the end',
    ],
    [`k1:${Buffer.alloc(32, 255).toString('base64url')}=`, 'entry 1 has a key that is not base64'],
    [`k1:${Buffer.alloc(16).toString('base64')}`, 'entry 1 has a key of 16 bytes, not 32'],
    [
      `k1:${base64},k1:${base64}`,
      'entry 2 has the id "k1" of an earlier one; give every key an id of its own',
    ],
    [[], 'is an empty list'],
    [[undefined], 'entry 1 has no id'],
    [[{ key }], "entry 1 has no id; write { id: 'k1', key }, the key a Buffer of 32 bytes"],
    [[{ id: 'k.1', key }], 'entry 1 has an id that is not 1 to 32 letters'],
    [[{ id: 'k1' }], 'entry 1 has a key that is not a Buffer'],
    [[{ id: 'k1', key: 'x'.repeat(32) }], 'entry 1 has a key that is not a Buffer'],
    [[{ id: 'k1', key: Buffer.alloc(3) }], 'entry 1 has a key of 3 bytes, not 32'],
    [
      [
        { id: 'k1', key },
        { id: 'k1', key },
      ],
      'entry 2 has the id "k1" of an earlier one',
    ],
  ])('says what is wrong with %j, and quotes no key', (given, says) => {
    const read = () => vaultKeysOf({ encryptionKeys: given as never });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(typeof says === 'string' ? `  encryptionKeys: ${says}` : says);
    expect(read).not.toThrow(base64.slice(0, 20));
  });
});
