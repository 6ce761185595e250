import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EchoMask } from './echo-mask.js';

const MASK = '********';
const response = (body: string, more: object = {}) => ({
  status: 200,
  headers: {},
  body,
  truncated: false,
  ...more,
});
const masked = (headers: Record<string, string>, body: string, truncated = false) =>
  EchoMask.of(headers)?.masked(response(body, { truncated })).body;

describe('EchoMask', () => {
  it('replaces every occurrence of a value, in the body and in headers', () => {
    const mask = EchoMask.of({ 'X-Team': 'risk-and-fraud' });
    const kept = mask?.masked(
      response('a risk-and-fraud b risk-and-fraud', {
        headers: { 'x-seen': 'risk-and-fraud;x', date: 'today' },
      }),
    );
    expect(kept).toEqual(
      response(`a ${MASK} b ${MASK}`, { headers: { 'x-seen': `${MASK};x`, date: 'today' } }),
    );
  });

  it.each([
    ['the credentials of Authorization alone', { Authorization: 'Bearer t0k/en"1' }, 't0k/en"1'],
    [
      'the decoded credentials of Basic',
      { Authorization: `Basic ${btoa('ada:s3cret-pass')}` },
      'ada:s3cret-pass',
    ],
    ['the password of Basic alone', { Authorization: `Basic ${btoa('ada:s3cret-pass')}` }, 's3cret-pass'],
    ['a cookie alone', { Cookie: 'a=b; sid=s3cret-sid' }, 's3cret-sid'],
    ['JSON', { 'X-Key': 'a"b\\c/d' }, 'a\\"b\\\\c/d'],
    ['JSON with slashes escaped', { 'X-Key': 'a"b\\c/d' }, 'a\\"b\\\\c\\/d'],
    ['JSON with slashes as code points', { 'X-Key': 'abc/defg' }, 'abc\\u002fdefg'],
    ['JSON that is safe in HTML', { 'X-Key': 'abc<d>&efg' }, 'abc\\u003cd\\u003e\\u0026efg'],
    ['a URL', { 'X-Key': 'abc/d efg=' }, 'abc%2Fd%20efg%3D'],
    ['a form', { 'X-Key': 'abc/d efg=' }, 'abc%2Fd+efg%3D'],
    ['HTML', { 'X-Key': 'abc<d>&efg' }, 'abc&lt;d&gt;&amp;efg'],
    ['base64', { 'X-Key': 's3cret??' }, btoa('s3cret??').replace('=', '')],
  ])('knows %s', (_what, headers, echo) => {
    expect(masked(headers, `[${echo}]`)).toBe(`[${MASK}]`);
  });

  it('leaves short values inside of words, and very short ones everywhere', () => {
    expect(masked({ 'X-Env': 'prod' }, 'a product of "prod"')).toBe(`a product of "${MASK}"`);
    expect(EchoMask.of({ 'X-A': '1', 'X-B': 'yes' })).toBeNull();
  });

  it('does not mask headers that ask for a form of answer', () => {
    expect(
      EchoMask.of({ Accept: 'application/json', 'Accept-Language': 'de-DE', 'Cache-Control': 'no-store' }),
    ).toBeNull();
  });

  it('masks the beginning of a value at the end of a cut body', () => {
    const token = 's3cret-token';
    for (let length = 3; length <= token.length; length++) {
      expect(masked({ 'X-Key': token }, `x${token.slice(0, length)}`, true)).toBe(`x${MASK}`);
    }
    expect(masked({ 'X-Key': token }, 's3cret', false)).toBe('s3cret');
    expect(masked({ 'X-Key': 'aabaabaac' }, 'xaabaabaab', true)).toBe(`x${MASK}`.replace('x', 'xaab'));
  });

  it('finds a value wherever it stands', () => {
    const value = fc.stringMatching(/^[!-~]{8,40}$/);
    fc.assert(
      fc.property(value, fc.string(), fc.string(), fc.nat(), (secret, before, after, cut) => {
        const whole = masked({ 'X-Key': secret }, before + secret + after);
        expect(whole).not.toContain(secret);
        const body = (before + secret).slice(0, before.length + 3 + (cut % secret.length));
        expect(masked({ 'X-Key': secret }, body, true)).toContain(MASK);
      }),
    );
  });

  it('does not make an answer grow if a value looks like a mask', () => {
    const headers = Object.fromEntries([4, 5, 6, 7].map((n) => [`x-token-${n}`, '*'.repeat(n)]));
    expect(
      EchoMask.of(headers)?.masked({ status: 200, headers: {}, body: '*'.repeat(420), truncated: false })
        .body ?? '*'.repeat(420),
    ).toHaveLength(420);
  });
});
