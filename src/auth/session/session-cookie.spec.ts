import { describe, expect, it } from '@jest/globals';
import type { BrowserRequest } from './browser-request.js';
import { cookieOf, noCookie, readCookie } from './session-cookie.js';

const request = (url: string, host: string, more: Partial<BrowserRequest> = {}): BrowserRequest => ({
  method: 'GET',
  url,
  protocol: 'http',
  headers: { host },
  ...more,
});

describe("a session's cookie", () => {
  it.each([
    ['/v1/me', 'localhost:3000', 'http', 'webhook_session_3000', '/'],
    ['/v1/webhook/list?name=/v1/', 'hooks.example', 'http', 'webhook_session', '/'],
    ['/v1/me', '[::1]:3000', 'http', 'webhook_session_3000', '/'],
    ['/v1/me', 'hooks.example', 'https', '__Host-webhook_session', '/'],
    ['/v1/me', 'hooks.example:8443', 'https', '__Host-webhook_session_8443', '/'],
    ['/api/x/v1/webhook/list', 'app.example', 'http', 'webhook_session', '/api/x/v1'],
    ['/api/x/v1/webhook/list', 'app.example', 'https', '__Secure-webhook_session', '/api/x/v1'],
    ['/v1/v1/session', 'app.example', 'https', '__Secure-webhook_session', '/v1/v1'],
  ])('of %s at %s over %s is %s at %s', (url, host, protocol, name, path) => {
    const cookie = cookieOf(request(url, host, { protocol }), 'x', 7);
    const secure = protocol === 'https' ? '; Secure' : '';
    expect(cookie).toBe(`${name}=x; Max-Age=7; Path=${path}; HttpOnly; SameSite=Strict${secure}`);
    const headers = { host, cookie: `a=${name}=y; ${name}=x; ${name}=z` };
    expect(readCookie(request(url, host, { protocol, headers }))).toBe('x');
    expect(noCookie(request(url, host, { protocol }))).toMatch(`${name}=; Max-Age=0; Path=${path};`);
  });

  it('is read by the whole path of a mounted application', () => {
    const mounted = { originalUrl: '/hooks/v1/me' };
    expect(cookieOf(request('/v1/me', 'x', mounted), 'x', 1)).toContain('Path=/hooks/v1;');
  });

  it('is not there without a header, or under another name', () => {
    expect(readCookie(request('/v1/me', 'x'))).toBeNull();
    const headers = { host: 'x', cookie: 'webhook_session_1=x; xwebhook_session=y; webhook_session' };
    expect(readCookie(request('/v1/me', 'x', { headers }))).toBeNull();
  });
});
