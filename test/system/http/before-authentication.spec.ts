import type { Server } from 'node:http';
import type net from 'node:net';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { exchange } from '../../egress/exchange.js';
import { rawSocket, receivedBy } from '../../http/raw-socket.js';
import { expectProblem } from '../../support/api.js';
import { databases } from '../../support/databases.js';
import { useDatabase, useService } from '../../support/fixture.js';
import { newUser } from '../../support/scene.js';
import { ADMIN_KEY } from '../../support/service.js';
import { until } from '../../support/until.js';
import { type ServiceProcess, startProcessOn } from '../support/process.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const PATH = '/v1/notification';
/** Bytes that the kernel and one read by Node may buffer before the service sees the request. */
const UNREAD_BYTES = 512 * KIB;

const headOf = (path: string, bytes: number, more = '') =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${more}Content-Length: ${bytes}\r\n\r\n`;
const chunkedHeadOf = (path: string, more = '') =>
  headOf(path, 0, more).replace(/Content-Length.*/, 'Transfer-Encoding: chunked');
/** More than anybody waits for. */
const ENDLESS = 100 * MIB;
const WRONG_KEY = `Authorization: Bearer whk_${'B'.repeat(43)}\r\n`;
const WITH_KEY = `Authorization: Bearer ${ADMIN_KEY}\r\n`;
/** With a key that may only read. */
const AS_READER = 'Authorization: Bearer READER\r\n';
const body = Buffer.concat([Buffer.from('{"record":['), Buffer.alloc(MIB - 13, '1,'), Buffer.from('1]}')]);

async function residentBytesOf(service: ServiceProcess): Promise<number> {
  const { text } = await service.call('GET', '/metrics', undefined, { key: null });
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]);
}

describe.each(databases)('callers of a service on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  let service: ServiceProcess;

  beforeEach(async () => {
    service = await startProcessOn(database, { LOG_LEVEL: 'silent' });
  });

  it('cannot make it hold much more than a body by sending it byte by byte', async () => {
    const before = await residentBytesOf(service);
    const socket = rawSocket(service.url);
    socket.write(chunkedHeadOf(PATH, WITH_KEY));
    const chunks = '1\r\n,\r\n'.repeat(KIB);
    for (let n = 0; n < KIB - 1; n++) {
      if (!socket.write(chunks)) await new Promise((resolve) => socket.once('drain', resolve));
    }
    const answer = new Promise((resolve) => socket.once('data', (data) => resolve(String(data))));
    socket.write('0\r\n\r\n');
    expect(await answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*malformed_json/);
    expect((await residentBytesOf(service)) - before).toBeLessThan(160 * MIB);
    socket.destroy();
  });

  it('cannot make it buffer more than 64 unfinished bodies with a key', async () => {
    const before = await residentBytesOf(service);
    let answers = 0;
    const sockets = Array.from({ length: 300 }, () => {
      const socket = rawSocket(service.url).once('data', () => answers++);
      socket.write(headOf(PATH, MIB, WITH_KEY));
      socket.write(body.subarray(0, MIB - 1));
      return socket;
    });
    // Of those that wait for the others, all are refused; those that are read are still open.
    await until(() => answers === 300 - 64, { what: 'refusals' });
    expect((await residentBytesOf(service)) - before).toBeLessThan(160 * MIB);
    for (const socket of sockets) socket.destroy();
  });
});

describe.each(databases)('a request refused before its body is read, on $name', (kind) => {
  const service = useService(kind, { UNAUTHENTICATED_RATE_LIMIT_PER_MINUTE: '30' });
  const connections: net.Socket[] = [];
  let reader: string;

  beforeAll(async () => {
    reader = await service.keyFor(newUser(), 'webhooks:read');
    (service.app.getHttpServer() as Server).on('connection', (socket: net.Socket) =>
      connections.push(socket),
    );
  });
  afterEach(() => {
    connections.length = 0;
  });

  it.each([
    ['a call without a key', 401, 'unauthenticated', headOf(PATH, ENDLESS)],
    ['a call with a wrong key', 401, 'unauthenticated', headOf(PATH, ENDLESS, WRONG_KEY)],
    ['a chunked body without a key', 401, 'unauthenticated', `${chunkedHeadOf(PATH)}6400000\r\n`],
    ['a notification by a reader', 403, 'forbidden', headOf(PATH, ENDLESS, AS_READER)],
    ['a write by a reader', 403, 'forbidden', headOf('/v1/webhook', ENDLESS, AS_READER)],
    ['a call for admins by a reader', 403, 'forbidden', headOf('/v1/api-key', ENDLESS, AS_READER)],
    ['an unknown parameter', 400, 'validation_failed', headOf(`${PATH}?x=1`, ENDLESS, WITH_KEY)],
    ['too many hops', 400, 'too_many_hops', headOf(PATH, ENDLESS, `${WITH_KEY}webhook-hops: 6\r\n`)],
    ['an unknown path', 404, 'route_not_found', headOf('/v1/nowhere', ENDLESS)],
    ['an unknown path with a key', 404, 'route_not_found', headOf('/nowhere', ENDLESS, WITH_KEY)],
    ['another method', 405, 'method_not_allowed', headOf('/health/live', ENDLESS)],
    [
      'a read without a key',
      401,
      'unauthenticated',
      headOf('/v1/webhook/list', ENDLESS).replace('POST', 'GET'),
    ],
    [
      'a form with a key',
      415,
      'unsupported_media_type',
      headOf(PATH, ENDLESS, WITH_KEY).replace('application/json', 'text/plain'),
    ],
    ['too large a body', 413, 'body_too_large', headOf('/v1/webhook', 257 * KIB, WITH_KEY)],
    ['much too large a body', 413, 'body_too_large', headOf(PATH, ENDLESS, WITH_KEY)],
  ])('is answered and cut: %s', async (_, status, code, head) => {
    const socket = rawSocket(service.url);
    socket.write(head.replace('READER', reader));
    const send = () => {
      while (!socket.destroyed && socket.bytesWritten < ENDLESS && socket.write(body));
    };
    socket.on('drain', send);
    send();
    const answer = await receivedBy(socket);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer.toLowerCase()).toContain('\r\nconnection: close\r\n');
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))).toMatchObject({ status, code });
    expect(connections).toHaveLength(1);
    expect(connections[0]?.bytesRead).toBeLessThan(UNREAD_BYTES);
  });

  it('is answered to a client that sends the whole body first', async () => {
    for (let n = 0; n < 5; n++) {
      expectProblem(
        await service.call('POST', PATH, undefined, { key: null, raw: body }),
        401,
        'unauthenticated',
      );
    }
  });

  it('keeps its connection if the body was small', async () => {
    const request = `${headOf('/v1/webhook', 2)}{}`;
    const last = `GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    const answers = await exchange(service.url, request + request + last);
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 401', 'HTTP/1.1 200']);
  });

  it('is also refused above the limit on failures, without reading the body', async () => {
    const refused = await until(async () => {
      connections.length = 0;
      const answer = await exchange(service.url, headOf(PATH, MIB));
      return / 429 /.test(answer) && answer;
    });
    expect(refused).toMatch(/retry-after: \d+/i);
  });
});
