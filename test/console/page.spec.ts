import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exchange } from '../egress/exchange.js';
import { expectProblem } from '../support/api.js';
import { SQLITE } from '../support/databases.js';
import { useDatabase, useService } from '../support/fixture.js';
import { buildConsole, placeIn, SCRIPT, serveConsole } from './built-console.js';

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const ASSET = '/console/assets/index-D4f1x9aB.js';
const EVERYWHERE = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
};

describe('the console', () => {
  const service = useService(SQLITE);
  const built = buildConsole();
  beforeAll(() => serveConsole(service.app, built.folder));
  afterAll(() => built.remove());

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    service.call(method, path, undefined, { key: null, headers });

  it.each(['/console', '/console/', '/console/webhooks/x', '/console/a/b/c?d=e.f'])(
    'is one page, which knows where it is, at %s',
    async (path) => {
      const answer = await get(path);
      expect(answer.status).toBe(200);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        ...EVERYWHERE,
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
      });
      expect(placeIn(answer.text)).toEqual({ base: '/console', api: '/v1', session: true });
      expect(answer.text).toContain('src="/console/assets/index-D4f1x9aB.js"');
      expect(answer.text).not.toMatch(/__console__|__PLACE__/);
    },
  );

  it('has files whose names change with their content, and which browsers keep', async () => {
    const answer = await get(ASSET);
    expect(answer).toMatchObject({ status: 200, text: SCRIPT });
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      ...EVERYWHERE,
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
    const icon = await get('/console/icon.svg');
    expect(icon.headers.get('cache-control')).toBe('public, max-age=3600');
    expect(icon.headers.get('content-type')).toBe('image/svg+xml');
    expect(await get('/console/assets/deep/map-1.json')).toMatchObject({ status: 200, text: '{}' });
  });

  it.each([
    ['br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['GZIP', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['br;q=0.0', null],
    ['deflate', null],
    ['', null],
  ])('sends them in fewer bytes to who accepts %j', async (accepted, encoding) => {
    const answer = await get(ASSET, { 'accept-encoding': accepted });
    expect(answer.headers.get('content-encoding')).toBe(encoding);
    const bytes = Number(answer.headers.get('content-length'));
    expect(bytes < 200).toBe(encoding !== null);
    expect(answer.text).toBe(SCRIPT);
    const small = await get('/console/assets/index-B7sQ.css', { 'accept-encoding': accepted });
    expect(small.headers.has('content-encoding')).toBe(false);
  });

  it.each([
    '/console/index.html',
    '/console/assets/index-old.js',
    '/console/.env',
    '/console/assets/../index.html.js',
    '/console/..%2f..%2fpackage.json',
    '/console/%2e%2e/%2e%2e/package.json',
    '/console/assets/..%5c..%5cindex.html',
    '/console/__proto__.js',
    '/console/constructor.prototype',
    '/console/assets/index-D4f1x9aB.js/x',
    '/consolex',
    '/console.js',
  ])('has no file %s', async (path) => {
    const head = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    const answer = await exchange(service.url, head);
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    expect(answer).toContain('"code":"route_not_found"');
    expect(answer).toMatch(/^content-security-policy: default-src 'none'; frame-ancestors 'none'\r$/im);
    expect(answer).toMatch(/^cache-control: no-store\r$/im);
  });

  it('answers HEAD without a body, and no other method', async () => {
    for (const path of ['/console', '/console/webhooks', ASSET]) {
      const [got, head] = [await get(path), await get(path, {}, 'HEAD')];
      expect(head).toMatchObject({ status: 200, text: '' });
      expect(head.headers.get('content-type')).toBe(got.headers.get('content-type'));
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
        const answer = await get(path, {}, method);
        expectProblem(answer, 405, 'method_not_allowed');
        expect(answer.headers.get('allow')).toBe('GET');
      }
    }
  });

  it('is where browsers are led from the bare address, and nobody else', async () => {
    const open = async (method: string, path: string, headers: Record<string, string> = HTML) => {
      const answer = await fetch(service.url + path, { method, headers, redirect: 'manual' });
      return [answer.status, answer.headers.get('location'), answer.headers.get('vary')];
    };
    for (const method of ['GET', 'HEAD'])
      expect(await open(method, '/')).toEqual([302, '/console/', 'Accept']);
    for (const [status] of [
      await open('GET', '/', {}),
      await open('GET', '/', { accept: 'application/json' }),
      await open('POST', '/'),
      await open('GET', '/x'),
      await open('GET', '/?x'),
    ])
      expect(status).toBe(404);
  });
});

describe('the console', () => {
  const database = useDatabase(SQLITE);

  it('says what to run where it was not built, and is there once it was', async () => {
    const service = await database.start();
    const get = () => service.call('GET', '/console', undefined, { key: null });
    const built = buildConsole();
    database.defer(() => built.remove());
    serveConsole(service.app, `${built.folder}/nowhere`);
    const answer = await get();
    expect(answer).toMatchObject({ status: 503, text: expect.stringContaining('Run "npm run build"') });
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    serveConsole(service.app, built.folder);
    expect((await get()).status).toBe(200);
  });

  it.each<Record<string, string>>([{ CONSOLE: 'false' }, { ROLE: 'worker' }])(
    'is not there with %j',
    async (env) => {
      const service = await database.start(env);
      const call = (method: string, path: string) =>
        service.call(method, path, undefined, { key: null, headers: HTML });
      for (const path of ['/console', '/console/x', ASSET, '/'])
        expectProblem(await call('GET', path), 404, 'route_not_found');
      expectProblem(await call('POST', '/console/x'), 404, 'route_not_found');
    },
  );
});
