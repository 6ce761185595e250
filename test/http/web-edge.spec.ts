import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { exchange } from '../egress/exchange.js';
import { expectProblem, NO_ID } from '../support/api.js';
import { SQLITE } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { ADMIN_KEY } from '../support/service.js';
import { dribble } from './raw-socket.js';

const LIST = '/v1/webhook/list';
const AUTHORIZATION = `Authorization: Bearer ${ADMIN_KEY}\r\n`;

const EVERYWHERE = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
};
const OF_THE_API = {
  ...EVERYWHERE,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
};

describe('the web edge', () => {
  const service = useService(SQLITE);

  it.each<{ what: string; status: number; method: string; path: string; key?: null; type?: string }>([
    { what: 'an answer', status: 200, method: 'GET', path: LIST },
    { what: 'a secret', status: 201, method: 'POST', path: '/v1/api-key' },
    { what: 'a call without a key', status: 401, method: 'GET', path: LIST, key: null },
    { what: 'what is not there', status: 404, method: 'GET', path: `/v1/webhook?id=${NO_ID}` },
    { what: 'an unknown path', status: 404, method: 'GET', path: '/nope', key: null },
    { what: 'a method that is not taken', status: 405, method: 'PUT', path: LIST },
    { what: 'a malformed URL', status: 400, method: 'GET', path: '/v1/%zz' },
    { what: 'another type', status: 415, method: 'POST', path: '/v1/webhook', type: 'text/plain' },
    { what: 'the health check', status: 200, method: 'GET', path: '/health/live', key: null },
    { what: 'the metrics', status: 200, method: 'GET', path: '/metrics', key: null },
  ])(
    'sends headers that restrict browsers, with $what',
    async ({ status, method, path, type, ...options }) => {
      const body = method === 'POST' ? { user_id: 'x', scopes: ['webhooks:read'] } : undefined;
      const headers: Record<string, string> = type ? { 'content-type': type } : {};
      const answer = await service.call(method, path, body, { ...options, headers });
      expect(answer.status).toBe(status);
      expect(Object.fromEntries(answer.headers)).toMatchObject(OF_THE_API);
      for (const name of ['x-powered-by', 'server', 'strict-transport-security', 'set-cookie']) {
        expect([name, answer.headers.get(name)]).toEqual([name, null]);
      }
    },
  );

  it('sends them even if the request is not HTTP', async () => {
    const answer = (
      await exchange(service.url, 'GET / HTTP/1.1\r\nHost: x\r\nBad Header: 1\r\n\r\n')
    ).toLowerCase();
    expect(answer).toMatch(/^http\/1\.1 400 /);
    for (const [name, value] of Object.entries(OF_THE_API)) {
      expect(answer).toContain(`\r\n${name}: ${value.toLowerCase()}\r\n`);
    }
  });

  it('lets Swagger UI run only its own scripts', async () => {
    for (const path of ['/docs', '/docs/', '/docs/swagger-ui-init.js', '/docs/swagger-ui.css']) {
      const { status, headers } = await service.call('GET', path, undefined, { key: null });
      expect(status).toBe(200);
      expect(Object.fromEntries(headers)).toMatchObject(EVERYWHERE);
      const directives = headers.get('content-security-policy')?.split('; ');
      expect(directives).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          "script-src 'self'",
          "connect-src 'self'",
          "frame-ancestors 'none'",
        ]),
      );
    }
    const { text } = await service.call('GET', '/docs', undefined, { key: null });
    expect(text).toContain('<script src=');
    expect(text.replace(/<script src="[^"]+"><\/script>/g, '')).not.toMatch(/<script|\son\w+=/i);
  });

  it('serves only those Swagger UI files that the page needs', async () => {
    const { text } = await service.call('GET', '/docs', undefined, { key: null });
    const needed = [...text.matchAll(/(?:src|href)="\.\/docs\/([^"]+)"/g)].map(([, file]) => `/docs/${file}`);
    expect(needed).toHaveLength(6);
    for (const path of ['/docs', '/docs/', '/docs/openapi.json', ...needed]) {
      expect([path, (await service.call('GET', path, undefined, { key: null })).status]).toEqual([path, 200]);
    }
    const files = readdirSync(
      dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json')),
    );
    const others = files.map((file) => `/docs/${file}`).filter((path) => !needed.includes(path));
    expect(others.length).toBeGreaterThan(20);
    const more = [
      '/docs-yaml',
      '/docs-json',
      '/docs/docs/swagger-ui-init.js',
      '/docs/%69ndex.html',
      '/docs//index.html',
    ];
    for (const path of [...others, ...more]) {
      const answer = await service.call('GET', path, undefined, { key: null });
      expect([path, answer.status]).toEqual([path, 404]);
      expectProblem(answer, 404, 'route_not_found');
    }
  });

  it('sends a file of Swagger UI again only if it is another', async () => {
    for (const path of ['/docs/openapi.json', '/docs/swagger-ui-bundle.js']) {
      const { headers, text } = await service.call('GET', path, undefined, { key: null });
      expect(headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
      const tag = headers.get('etag') ?? '';
      const known = { key: null, headers: { 'if-none-match': tag } };
      expect(await service.call('GET', path, undefined, known)).toMatchObject({ status: 304, text: '' });
      const head = await fetch(service.url + path, { method: 'HEAD' });
      expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, tag, '']);
    }
  });

  it('is closed to the scripts of other sites', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'GET' };
    const answers = [
      await service.call('OPTIONS', LIST, undefined, { key: null, headers }),
      await service.call('OPTIONS', '/v1/nope', undefined, { key: null, headers }),
      await service.call('GET', LIST, undefined, { headers }),
      await service.call('GET', '/docs/openapi.json', undefined, { key: null, headers }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([405, 404, 200, 200]);
    const names = answers.flatMap((answer) => [...answer.headers.keys()]);
    expect(names.filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });

  it('ignores X-Forwarded-Proto from a stranger', async () => {
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.1' };
    const answer = await service.call('GET', LIST, undefined, { headers });
    expect(answer.headers.has('strict-transport-security')).toBe(false);
  });

  it('accepts headers of 16 KiB', async () => {
    const withHeader = (bytes: number) => {
      const head = `GET ${LIST} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${AUTHORIZATION}`;
      return dribble(service.url, `${head}X-Filler: ${'x'.repeat(bytes)}\r\n\r\n`);
    };
    expect(await withHeader(15 * 1024)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await withHeader(17 * 1024)).toMatch(/^HTTP\/1\.1 431 /);
  });

  it('answers 64 requests of a client that has not read the first response', async () => {
    const request = 'GET /health/live HTTP/1.1\r\nHost: x\r\n';
    const answer = await dribble(
      service.url,
      `${`${request}\r\n`.repeat(63)}${request}Connection: close\r\n\r\n`,
    );
    expect(answer.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(64);
  });

  it('limits the time and the number of connections', () => {
    expect(service.app.getHttpServer()).toMatchObject({
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 72_000,
      timeout: 60_000,
      maxConnections: 10_000,
    });
  });
});

describe('behind a trusted proxy', () => {
  const service = useService(SQLITE, { TRUSTED_PROXIES: '127.0.0.0/8' });

  it('sends HSTS only for requests that came over TLS', async () => {
    const hsts = async (proto: string) => {
      const headers = { 'x-forwarded-proto': proto };
      return (await service.call('GET', '/docs', undefined, { headers })).headers.get(
        'strict-transport-security',
      );
    };
    expect(await hsts('https')).toBe('max-age=31536000');
    expect(await hsts('http')).toBeNull();
  });
});

describe('docs and metrics switched off', () => {
  const service = useService(SQLITE, { DOCS: 'false', METRICS: 'false' });

  it('answer 404', async () => {
    for (const path of ['/docs', '/docs/', '/docs/openapi.json', '/docs/swagger-ui-init.js', '/metrics']) {
      expectProblem(await service.call('GET', path), 404, 'route_not_found');
    }
    expect((await service.call('GET', LIST)).status).toBe(200);
  });
});
