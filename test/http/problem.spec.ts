import { describe, expect, it } from '@jest/globals';
import { exchange } from '../egress/exchange.js';
import { expectProblem, NO_ID } from '../support/api.js';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { ADMIN_KEY } from '../support/service.js';
import { createWebhook } from '../support/webhook.js';

const WEBHOOK = '/v1/webhook';
const LIST = '/v1/webhook/list';

const report = (extra: string) =>
  `{"event_kind":"RECORD_FINISHED","user_id":"x","record":{"id":"r","analysis":[],"x":${extra}}}`;

describe.each(databases)('problems on $name', (kind) => {
  const service = useService(kind);

  const get = (path: string) => service.call('GET', path);

  describe('of the route', () => {
    it.each([
      '/',
      '/v1',
      '/v1/nope',
      '/v1/webhook/',
      '/V1/webhook',
      '/v2/webhook',

      '/v1//webhook',
    ])('does not know %s', async (path) => {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
        const answer = await service.call(method, path, undefined, { key: null });
        expectProblem(answer, 404, 'route_not_found');
        expect(answer.body.instance).toBe(path);
      }
    });

    it.each([
      ['PUT', `${WEBHOOK}/event`, 'POST, PATCH, DELETE'],
      ['OPTIONS', WEBHOOK, 'GET, POST, PUT, PATCH, DELETE'],
      ['POST', LIST, 'GET'],
      ['PUT', '/v1/notification', 'GET, POST, DELETE'],
      ['DELETE', '/v1/webhook/trigger?id=1', 'GET'],
      ['PATCH', '/health/live', 'GET'],
    ])('does not take %s %s', async (method, path, allowed) => {
      const answer = await service.call(method, path);
      expectProblem(answer, 405, 'method_not_allowed');
      expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(allowed.split(', ').sort());
    });

    it('answers HEAD like GET, without the body', async () => {
      const head = (path: string) =>
        fetch(service.url + path, { method: 'HEAD', headers: { authorization: `Bearer ${ADMIN_KEY}` } });
      for (const [path, status] of [
        [LIST, 200],
        ['/v1/nope', 404],
        [`${WEBHOOK}?id=${NO_ID}`, 404],
      ] as const) {
        const answer = await head(path);
        expect(answer.status).toBe(status);
        expect(await answer.text()).toBe('');
      }
    });
  });

  describe('of the query', () => {
    it.each([
      ['limit=1&limit=2', 'limit'],
      ['name=a&name=b', 'name'],
      ['name=%00', 'name'],
      ['name=a%0Ab', 'name'],
      ['limit[]=1', 'limit[]'],
      ['limit[a]=1', 'limit[a]'],
      ['Limit=1', 'Limit'],
      ['constructor=1', 'constructor'],
      ['__proto__=1', '__proto__'],
    ])('refuses %s', async (query, name) => {
      expectProblem(await get(`${LIST}?${query}`), 400, 'validation_failed', [`?${name}`]);
    });

    it('is refused when there is a body', async () => {
      const { id } = await createWebhook(service);
      const writes: [string, string, object][] = [
        ['POST', WEBHOOK, { id }],
        ['PATCH', WEBHOOK, { id, name: 'x' }],
        ['POST', '/v1/webhook/event', { webhook_id: id, kind: 'RECORD_FINISHED' }],
        ['POST', '/v1/webhook/test', { id }],
        ['POST', '/v1/webhook/trigger/retry', { id: NO_ID }],
        ['POST', '/v1/notification', JSON.parse(report('1'))],
        ['POST', '/v1/api-key', { user_id: 'x', scopes: ['admin'] }],
      ];
      for (const [method, path, body] of writes) {
        const answer = await service.call(method, `${path}?dry_run=true`, body);
        expectProblem(answer, 400, 'validation_failed', ['?dry_run']);
      }
      expect((await get(`${WEBHOOK}?id=${id}`)).body.name).toBe('CRM sync');
    });

    it.each(['%zz', '%', '%ff', '%c3%28', '%ED%A0%80', 'a'.repeat(8000)])('refuses name=%s', async (name) => {
      const answer = await get(`${LIST}?limit=1&name=${name}`);
      expectProblem(answer, 400, 'validation_failed', ['?name']);
    });

    it('may be percent-encoded without need', async () => {
      const { body } = await get(`${LIST}?%6Cimit=%31&name=%C3%A9%25zz`);
      expect(body).toEqual({ data: [], next_cursor: null });
      expectProblem(await get(`${LIST}?%zz=1&a%=1`), 400, 'validation_failed', ['?%zz', '?a%']);
    });
  });

  it('are the same for a very long path', async () => {
    expectProblem(await get(`/v1/${'a'.repeat(8000)}`), 404, 'route_not_found');
  });

  it.each(['/v1/%zz', '/v1/webhook/%', '/%ff'])('blame the caller for the badly encoded %s', async (path) => {
    const answer = await get(path);
    expectProblem(answer, 400, 'bad_request');
  });

  it('of connections that do not speak HTTP affect no other client', async () => {
    const nonsense = [
      'NONSENSE\r\n\r\n',
      '\u0016\u0003\u0001\u0000\u0005hello',
      'GET / HTTP/9.9\r\n\r\n',
      `GET ${LIST} HTTP/1.1\r\n\r\n`,
      `GET ${LIST} HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\n\r\n`,
      `GET ${LIST} HTTP/1.1\r\nHost: x\r\nBad Header: 1\r\n\r\n`,
      `GET ${LIST} HTTP/1.1\r\nHost: x\r\nX: a\u0000b\r\n\r\n`,
      `GET /${'a'.repeat(70_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      `POST ${WEBHOOK} HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n`,
      `POST ${WEBHOOK} HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      `POST ${WEBHOOK} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n`,
      `POST ${WEBHOOK} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
      '',
    ];
    for (const text of nonsense) {
      const answer = await exchange(service.url, text);
      expect(answer).not.toMatch(/^HTTP\/1\.1 [25]/);
      if (answer !== '') expect(answer).toContain('application/problem+json');
      expect(answer).not.toMatch(/node_modules|\.js:\d+/);
    }
    expect((await get('/health/live')).status).toBe(200);
  });
});
