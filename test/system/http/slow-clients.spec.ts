import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { dribble, useSockets } from '../../http/raw-socket.js';
import { setCallDeadline } from '../../support/call-deadline.js';
import { databases } from '../../support/databases.js';
import { useService } from '../../support/fixture.js';
import { record } from '../../support/scene.js';
import { ADMIN_KEY } from '../../support/service.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';

/** Long enough for the call itself on a busy machine, and shorter than a process may seem to stand still. */
const DEADLINE_MS = 15_000;
const LIST = '/v1/webhook/list';
const AUTHORIZATION = `Authorization: Bearer ${ADMIN_KEY}\r\n`;

describe.each(databases)('slow clients on $name', (kind) => {
  // First: the service waits for open connections when it stops.
  const connect = useSockets(() => service.url);
  const service = useService(kind, {}, 'test');
  let server: Server;

  beforeEach(() => {
    server = service.app.getHttpServer();
  });

  const connectionCount = () =>
    new Promise<number>((resolve, reject) =>
      server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );

  const head = `POST /v1/webhook HTTP/1.1\r\nHost: x\r\n${AUTHORIZATION}Content-Type: application/json\r\n`;
  const started = `${head}Content-Length: 1000\r\n\r\n{`;

  it.each([
    ['say nothing', '', ''],
    ['dribble their headers', `${head}X: `, 'x'],
    ['never end their headers', head, ''],
    ['dribble their body', started, 'x'],
    ['never send their body', started, ''],
  ])('are disconnected when they %s', async (_, beginning, byte) => {
    server.headersTimeout = 300;
    // Node applies the larger of the two limits to the whole request.
    if (beginning === started) server.requestTimeout = 300;
    const begin = performance.now();
    const answer = await dribble(service.url, beginning, byte);
    const ms = performance.now() - begin;
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(answer).toContain('"code":"request_timeout"');
    expect(ms).toBeGreaterThanOrEqual(300);
  });

  it('are answered even if their body takes longer than a call may wait', async () => {
    const usual = setCallDeadline(DEADLINE_MS);
    const body = JSON.stringify({ event_kind: 'RECORD_FINISHED', user_id: 'acme', record });
    const begun = once(server, 'request') as Promise<[IncomingMessage]>;
    const socket = connect();
    socket.write(
      `POST /v1/notification HTTP/1.1\r\nHost: x\r\n${AUTHORIZATION}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    socket.write(body.slice(0, 20));
    const [request] = await begun;
    await until(() => request.listenerCount('data') > 0, { what: 'that it reads the body' });
    const now = performance.now.bind(performance);
    const later = jest.spyOn(performance, 'now').mockImplementation(() => now() + 2 * DEADLINE_MS);
    socket.write(body.slice(20));
    const answer = await new Promise((resolve) => socket.once('data', (data) => resolve(String(data))));
    later.mockRestore();
    usual();
    expect(answer).toMatch(/^HTTP\/1\.1 202 Accepted\r\n/);
  });

  it('are disconnected when they do not read their responses', async () => {
    server.timeout = 500;
    const socket = connect().pause();
    // More than the buffers between client and service can hold.
    socket.write('GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(30));
    await until(async () => (await connectionCount()) === 1);
    await until(async () => (await connectionCount()) === 0);
  });

  it.each(['/metrics', '/docs/swagger-ui-bundle.js', LIST])(
    'are disconnected when they keep requesting %s and read nothing',
    async (path) => {
      const socket = connect().pause();
      let requests = 0;
      server.on('request', () => requests++);
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(1000));
      await until(() => requests > 64);
      await until(async () => (await connectionCount()) === 0);
      expect((await service.call('GET', LIST)).status).toBe(200);
    },
  );

  it('do not block other clients', async () => {
    server.headersTimeout = 300;
    const slow = Array.from({ length: 50 }, () =>
      dribble(service.url, `GET ${LIST} HTTP/1.1\r\nHost: x\r\n`),
    );
    await until(async () => (await connectionCount()) >= 50);
    expect((await createWebhook(service)).enabled).toBe(true);
    for (const answer of await Promise.all(slow)) expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('are turned away above the connection limit', async () => {
    server.maxConnections = 2;
    connect();
    connect();
    await until(async () => (await connectionCount()) === 2);
    const third = connect();
    await new Promise((resolve) => third.resume().once('close', resolve));
    expect(await connectionCount()).toBe(2);
  });
});
