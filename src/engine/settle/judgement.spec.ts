import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Exchange } from '../../network/transport/transport.js';
import { judge } from './judgement.js';

function answered(status: number): Exchange {
  const headers = { 'retry-after': '7' };
  return { response: { status, headers, body: '', truncated: false }, error: null, phases: {} };
}

describe('judge', () => {
  it('counts any 2xx as a success, and nothing else', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 999 }), (status) => {
        expect(judge(answered(status)).error === null).toBe(status >= 200 && status <= 299);
      }),
    );
  });

  it('names the status of a redirect and says that it was not followed', () => {
    expect(judge(answered(302)).error).toEqual({
      code: 'redirect',
      message: 'The receiver answered 302; redirects are not followed.',
    });
    expect(judge(answered(399)).error?.code).toBe('redirect');
  });

  it('names any other status', () => {
    expect(judge(answered(503)).error).toEqual({
      code: 'http_status',
      message: 'The receiver answered 503.',
    });
    expect(judge(answered(404)).error?.code).toBe('http_status');
  });

  it('ends the trigger and disables the webhook for a 410 alone', () => {
    const gone = { isFinal: true, disables: 'gone' };
    expect(judge(answered(410))).toMatchObject({ ...gone, error: { code: 'http_status' } });
    for (const status of [200, 301, 404, 500])
      expect(judge(answered(status))).toMatchObject({ isFinal: false, disables: null });
  });

  it('passes Retry-After on only for 429 and 503', () => {
    for (const status of [429, 503]) expect(judge(answered(status)).retryAfter).toBe('7');
    for (const status of [200, 301, 410, 500]) expect(judge(answered(status)).retryAfter).toBeUndefined();
  });

  it('keeps the error of an exchange that failed on the wire', () => {
    const error = { code: 'timeout', message: 'No answer within 15 s.' } as const;
    expect(judge({ response: null, error, phases: {} })).toEqual({
      error,
      isFinal: false,
      disables: null,
      retryAfter: undefined,
    });
  });
});
