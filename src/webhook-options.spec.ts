import { describe, expect, it } from '@jest/globals';
import { loadConfig } from './config/load-config.js';
import { settingsOf, vaultKeysOf } from './webhook-options.js';

const encryptionKeys = `k1:${Buffer.alloc(32, 1).toString('base64')}`;

describe('settingsOf', () => {
  it('has the defaults of the service in production, except that deliveries are gentle', () => {
    const { role, egress, delivery, ...config } = loadConfig({
      NODE_ENV: 'production',
      ENCRYPTION_KEYS: encryptionKeys,
    });
    const { webhooksPerUser, rateLimitPerMinute } = config;
    const { notificationRateLimitPerMinute, unauthenticatedRateLimitPerMinute } = config;
    expect(settingsOf({ encryptionKeys })).toEqual({
      role,
      egress,
      delivery: { ...delivery, gentle: true },
      webhooksPerUser,
      rateLimitPerMinute,
      notificationRateLimitPerMinute,
      unauthenticatedRateLimitPerMinute,
    });
  });

  it('keeps the defaults of the other options in a group when some are given', () => {
    const { delivery, egress } = settingsOf({
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
    expect(() => settingsOf(wrong as never)).toThrow(
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

  it.each([[[]], [[{ id: 'k1', key: Buffer.alloc(3) }]]])('refuses %j', (keys) => {
    expect(() => vaultKeysOf({ encryptionKeys: keys as never })).toThrow(/encryptionKeys: must/);
  });

  it.each([undefined, '', 'k1', 'k1:short'])(
    'says what encryption keys must look like when given %p',
    (given) => {
      expect(() => vaultKeysOf({ encryptionKeys: given as string })).toThrow(
        /encryptionKeys: entry 1 must be/,
      );
    },
  );
});
