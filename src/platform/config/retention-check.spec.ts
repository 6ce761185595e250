import { describe, expect, it } from '@jest/globals';
import { loadConfig } from './load-config.js';

describe('loadConfig of retention', () => {
  it('takes days with fractions, and 0 for ever', () => {
    const env = { RETENTION_PAYLOAD_DAYS: '0.0001', RETENTION_DAYS: '0', RETRY_SCHEDULE_SECONDS: '1,1' };
    expect(loadConfig(env).retention).toEqual({ payloadDays: 0.0001, days: 0 });
    expect(loadConfig({ RETENTION_PAYLOAD_DAYS: '0', RETENTION_DAYS: '7' }).retention).toEqual({
      payloadDays: 0,
      days: 7,
    });
  });

  it('refuses less than the retry schedule takes with its jitter, saying how much it takes', () => {
    const ofDays = (days: string) =>
      loadConfig({ RETRY_SCHEDULE_SECONDS: '43200,43200', RETENTION_DAYS: days });
    expect(ofDays('1.2').retention.days).toBe(1.2);
    expect(() => ofDays('1.19')).toThrow(
      /RETENTION_DAYS: is 1.19 days, shorter than the retry schedule: .* 1.2 days after/,
    );
  });

  it('says of each of the two how long it has to be', () => {
    const tooShort = () => loadConfig({ RETENTION_PAYLOAD_DAYS: '1', RETENTION_DAYS: '1' });
    expect(tooShort).toThrow(/RETENTION_PAYLOAD_DAYS: .*set it to at least 1.37924 \(0 keeps/);
    expect(tooShort).toThrow(/\bRETENTION_DAYS: /);
  });

  it('refuses to keep payloads longer than rows, unless that is the default', () => {
    expect(loadConfig({ RETENTION_DAYS: '7' }).retention.days).toBe(7);
    expect(() => loadConfig({ RETENTION_PAYLOAD_DAYS: '8', RETENTION_DAYS: '7' })).toThrow(
      /RETENTION_PAYLOAD_DAYS: is 8 days, longer than the 7 days .* at most 7, or to 0/,
    );
  });
});
