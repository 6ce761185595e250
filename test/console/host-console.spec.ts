import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NestInterceptor } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { map } from 'rxjs';
import { ApiKeyService, WebhookModule } from '../../src/index.js';
import { ADAPTERS, NotOnMaintenance, useHost } from '../host/use-host.js';
import { SQLITE } from '../support/databases.js';
import { HOST_KEYS } from '../support/host.js';
import { buildConsole, placeIn, SCRIPT, serveConsole } from './built-console.js';
import { cookieOf, setCookieOf } from './log-in.js';

/** As many hosts have one: everything that a controller returns is wrapped. */
const wrapped: NestInterceptor = {
  intercept: (_, next) => next.handle().pipe(map((data) => ({ wrapped: data }))),
};

const providers = [NotOnMaintenance, { provide: APP_INTERCEPTOR, useValue: wrapped }];
const late = { encryptionKeys: HOST_KEYS, egress: { allowPrivateNetwork: true } };

describe.each(ADAPTERS)('the console in a host with %s', (adapter) => {
  const built = buildConsole();
  afterAll(() => built.remove());
  const as = (user: string, more = {}) => ({ headers: { 'x-user': user, ...more } });

  describe('that knows its users', () => {
    const host = useHost(SQLITE, {
      adapter,
      providers,
      webhooks: WebhookModule.forRootAsync({
        prefix: 'integrations',
        console: { path: 'webhooks/console' },
        guards: [NotOnMaintenance],
        principal: ({ user }) => (typeof user === 'string' ? { userId: user } : null),
        useFactory: () => late,
      }),
    });
    beforeAll(() => serveConsole(host.app, built.folder));
    const CONSOLE = '/integrations/webhooks/console';
    const get = (path: string, headers = {}) => host.call('GET', path, undefined, as('ada', headers));

    it.each(['', '/', '/deliveries', '/a/b/c/d/e/f'])(
      'knows where it and its API are, at %j',
      async (rest) => {
        const { status, text, headers } = await get(CONSOLE + rest);
        expect(status).toBe(200);
        expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
        expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
        expect(headers.get('cache-control')).toBe('no-store');
        const place = { base: `/api${CONSOLE}`, api: '/api/integrations/v1', session: false };
        expect(placeIn(text)).toEqual(place);
        const [, src = ''] = /src="\/api([^"]+)"/.exec(text) ?? [];
        expect(await get(src)).toMatchObject({ status: 200, text: SCRIPT });
        const head = await host.call('HEAD', CONSOLE + rest, undefined, as('ada'));
        expect(head).toMatchObject({ status: 200, text: '' });
      },
    );

    it('has the same users at its API', async () => {
      expect((await get('/integrations/v1/me')).body).toMatchObject({ wrapped: { user_id: 'ada' } });
      expect((await host.call('POST', '/integrations/v1/session', { key: 'x' }, as('ada'))).status).toBe(404);
    });

    it('is behind the guards, and leaves errors to the host', async () => {
      for (const path of [CONSOLE, `${CONSOLE}/x`, `${CONSOLE}/assets/index-D4f1x9aB.js`]) {
        const refused = await get(path, { 'x-maintenance': 'yes' });
        expect(refused).toMatchObject({ status: 403, body: { host_error: 403 } });
        expect(await host.call('GET', path, undefined, as('banned'))).toMatchObject({ status: 403 });
      }
      for (const path of [`${CONSOLE}/nothing.js`, '/integrations/console', '/webhooks/console', '/console'])
        expect(await get(path)).toMatchObject({ status: 404, body: { host_error: 404 } });
      expect((await host.call('POST', CONSOLE, {}, as('ada'))).status).toBe(404);
      expect((await get('/v2/orders')).body).toEqual({ wrapped: { orders: [] } });
    });
  });

  describe('that leaves them to API keys', () => {
    const host = useHost(SQLITE, {
      adapter,
      webhooks: WebhookModule.forRoot({
        ...late,
        prefix: 'integrations',
        console: true,
        guards: [NotOnMaintenance],
      }),
    });
    beforeAll(() => serveConsole(host.app, built.folder));

    it('asks for a key, and keeps the session to itself', async () => {
      const { text } = await host.call('GET', '/integrations/console');
      const place = { base: '/api/integrations/console', api: '/api/integrations/v1', session: true };
      expect(placeIn(text)).toEqual(place);
      const keys = host.app.get(ApiKeyService);
      const { key } = await keys.create({ userId: 'ada', scopes: ['webhooks:read'] });
      const open = (headers = {}) => host.call('POST', '/integrations/v1/session', { key }, { headers });
      const refused = await open({ 'x-maintenance': 'y' });
      expect(refused).toMatchObject({ status: 403, body: { code: 'forbidden' } });
      const opened = await open();
      expect(opened).toMatchObject({ status: 201, body: { user_id: 'ada' } });
      expect(setCookieOf(opened)).toMatch(
        /^webhook_session_\d+=.*; Path=\/api\/integrations\/v1; HttpOnly; SameSite=Strict$/,
      );
      const headers = { cookie: cookieOf(opened), 'sec-fetch-site': 'same-origin' };
      const me = () => host.call('GET', '/integrations/v1/me', undefined, { headers });
      expect(await me()).toMatchObject({ status: 200, body: { user_id: 'ada' } });
      const [{ id } = { id: '' }] = (await keys.list()).data;
      await keys.delete(id);
      const over = await me();
      expect(over).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
      expect(setCookieOf(over)).toContain('Max-Age=0; Path=/api/integrations/v1;');
    });
  });

  describe('that does not ask for it', () => {
    const host = useHost(SQLITE, { adapter, webhooks: WebhookModule.forRoot(late) });

    it('is not there', async () => {
      for (const path of ['/console', '/console/x']) expect((await host.call('GET', path)).status).toBe(404);
      expect((await host.call('GET', '/v1/me')).status).toBe(401);
    });
  });
});
