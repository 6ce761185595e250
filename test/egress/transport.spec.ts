import { createServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Exchange, MAX_RESPONSE_BYTES, type Transport } from '../../src/network/transport/transport.js';
import { type FaultName, outcomes } from '../support/faults.js';
import { LocalServer } from '../support/local-server.js';
import type { Receiver } from '../support/receiver.js';
import { post, transports, useBench } from './transports.js';

/** Of an exchange that only its deadline ends. */
const DEADLINE_MS = 500;
/** These would go on for ever. */
const HANGING: FaultName[] = ['silent', 'trickle-headers', 'trickle-body', 'endless-103', 'endless-100'];
/** Answers after interim ones. */
const INTERIM: FaultName[] = [
  'early-hints-then-ok',
  'unasked-100-then-ok',
  'unasked-100-of-http-1.0-then-ok',
];
/** Those that a transport finds. */
const CODES = ['timeout', 'response_too_large', 'invalid_response', 'connection_reset'];

describe.each(transports)('the %s transport', (_name, create) => {
  const bench = useBench(create);
  let receiver: Receiver;
  let transport: Transport;

  beforeEach(async () => {
    receiver = await bench.receiver();
    transport = bench.transport();
  });

  /** Sends once to a receiver with that fault; checks that only what hangs takes until its deadline, and no connection stays open. */
  async function exchangeWith(fault: FaultName): Promise<Exchange> {
    receiver.respondWith(fault);
    const hangs = HANGING.includes(fault);
    const deadline = AbortSignal.timeout(hangs ? DEADLINE_MS : 60_000);
    const exchange = await post(transport, receiver.url, { deadline });
    expect(deadline.aborted).toBe(hangs);
    await receiver.waitFor(() => receiver.openConnections === 0);
    expect(receiver.requests).toHaveLength(1);
    return exchange;
  }

  describe('sends', () => {
    it('exactly the given bytes and headers', async () => {
      const body = Buffer.from(Array.from({ length: 1024 }, (_, i) => i % 256));
      const headers = { 'X-Team': 'risk', 'webhook-id': 'msg_1', Accept: 'text/plain', get: 'a', Set: 'b' };
      const exchange = await post(transport, `${receiver.url}/a%20b?x=1&y=%2F`, { headers, body });

      expect(exchange).toMatchObject({ error: null, response: { status: 200, body: '', truncated: false } });
      const [request] = receiver.requests;
      expect(request).toMatchObject({ method: 'POST', path: '/a%20b?x=1&y=%2F' });
      expect(request?.body.equals(body)).toBe(true);
      expect(request?.headers).toEqual({
        host: new URL(receiver.url).host,
        connection: 'keep-alive',
        'content-length': '1024',
        'content-type': 'application/json; charset=utf-8',
        'x-team': 'risk',
        'webhook-id': 'msg_1',
        accept: 'text/plain',
        get: 'a',
        set: 'b',
      });
    });

    it('no content type when none is given', async () => {
      const request = { url: new URL(receiver.url), headers: {}, body: Buffer.from('x') };
      await transport.send(request, AbortSignal.timeout(60_000));
      expect(Object.keys(receiver.requests[0]?.headers ?? {}).sort()).toEqual([
        'connection',
        'content-length',
        'host',
      ]);
    });

    it.each(['/h', '/h?', '/?', '/h??', '/h?a=1', '/h?a=?'])(
      'exactly the path and query %s',
      async (target) => {
        await post(transport, `${receiver.url}${target}`);
        expect(receiver.requests[0]?.path).toBe(target);
      },
    );

    it('a body of 1 MiB', async () => {
      const body = Buffer.alloc(1024 * 1024, 'ü');
      await post(transport, receiver.url, { body });
      expect(receiver.requests[0]?.body.equals(body)).toBe(true);
    });

    it('successive requests on one connection', async () => {
      receiver.respondWith({ body: 'ok' });
      for (let i = 0; i < 5; i++) expect((await post(transport, receiver.url)).response?.body).toBe('ok');
      expect(receiver.connectionCount).toBe(1);
    });

    it('concurrent requests, each on its own connection', async () => {
      const all = receiver.waitFor(5);
      receiver.respondWith({ after: all });
      const exchanges = await Promise.all(Array.from({ length: 5 }, () => post(transport, receiver.url)));
      expect(exchanges.map((exchange) => exchange.response?.status)).toEqual([200, 200, 200, 200, 200]);
    });

    it('once more when a kept connection turns out to be closed', async () => {
      receiver.respondWith([{ body: 'first' }, 'reset', { body: 'third' }]);
      await post(transport, receiver.url);
      const exchange = await post(transport, receiver.url);
      expect(exchange.response?.body).toBe('third');
      expect(receiver.requests).toHaveLength(3);
      expect(receiver.connectionCount).toBe(2);
    });

    it('not once more after a byte of the response, nor on a fresh connection', async () => {
      receiver.respondWith([{}, 'close-in-headers', 'reset']);
      await post(transport, receiver.url);
      expect((await post(transport, receiver.url)).error?.code).toBe('connection_reset');
      expect((await post(transport, receiver.url)).error?.code).toBe('connection_reset');
      expect(receiver.requests).toHaveLength(3);
    });

    it('nothing that is not wanted any more when the connection is there', async () => {
      for (const isKept of [false, true]) {
        if (isKept) await post(transport, receiver.url);
        const mayWrite = () => {
          // A new connection is made first, and that may take long.
          expect(receiver.connectionCount).toBe(isKept ? 2 : 1);
          return false;
        };
        const exchange = await post(transport, receiver.url, { mayWrite });
        expect(exchange.response).toBeNull();
        await receiver.waitFor(() => receiver.openConnections === 0);
        expect(receiver.requests).toHaveLength(isKept ? 1 : 0);
      }
    });

    it('nothing once more that is not wanted any more', async () => {
      receiver.respondWith([{ body: 'first' }, 'reset', { body: 'third' }]);
      await post(transport, receiver.url);
      let asked = 0;
      const exchange = await post(transport, receiver.url, { mayWrite: () => ++asked === 1 });
      expect({ asked, response: exchange.response }).toEqual({ asked: 2, response: null });
      expect(receiver.requests).toHaveLength(2);
    });

    it('nothing once the deadline has passed', async () => {
      const exchange = await post(transport, receiver.url, { deadline: AbortSignal.abort() });
      expect(exchange.error?.code).toBe('timeout');
      expect(receiver.connectionCount).toBe(0);
    });
  });

  describe('receives', () => {
    it('status, headers and body', async () => {
      const headers = { 'X-One': 'a', 'Set-Cookie': ['a=1', 'b=2'], Server: 'test', Date: 'now' };
      receiver.respondWith({ status: 418, headers, body: 'short and stout: ü' });
      const { response, phases } = await post(transport, receiver.url);
      expect(response).toEqual({
        status: 418,
        headers: expect.objectContaining({ 'x-one': 'a', 'set-cookie': 'a=1, b=2', server: 'test' }),
        body: 'short and stout: ü',
        truncated: false,
      });
      expect(phases).toEqual({ connect: expect.any(Number), headers: expect.any(Number) });
    });

    it.each([204, 301, 302, 304, 307, 308, 400, 410, 429, 500, 503, 599])(
      'status %d as a response',
      async (status) => {
        receiver.respondWith('/', { status, headers: { Location: `${receiver.url}/elsewhere` } });
        const { response } = await post(transport, receiver.url);
        expect(response).toMatchObject({ status, truncated: false });
        expect(receiver.requests.map((request) => request.path)).toEqual(['/']);
      },
    );

    it.each([
      [MAX_RESPONSE_BYTES - 1, false],
      [MAX_RESPONSE_BYTES, false],
      [MAX_RESPONSE_BYTES + 1, true],
      [1024 * 1024, true],
    ])('a body of %d bytes, cut: %p', async (size, truncated) => {
      receiver.respondWith({ body: 'x'.repeat(size) });
      const { response } = await post(transport, receiver.url);
      expect(response?.truncated).toBe(truncated);
      expect(response?.body).toHaveLength(Math.min(size, MAX_RESPONSE_BYTES));
      if (truncated) await receiver.waitFor(() => receiver.openConnections === 0);
    });

    it('bytes that are not UTF-8', async () => {
      receiver.respondWith({ body: Buffer.from([0x61, 0xff, 0x62]) });
      expect((await post(transport, receiver.url)).response?.body).toBe('a\ufffdb');
    });

    it('8 KiB of headers', async () => {
      receiver.respondWith({
        headers: { 'X-Small': '1', 'X-Medium': 'm'.repeat(6000), 'X-Large': 'l'.repeat(6000) },
      });
      const { response } = await post(transport, receiver.url);
      expect(response?.headers['x-medium']).toHaveLength(6000);
      expect(response?.headers).not.toHaveProperty('x-large');
    });

    it.each<FaultName>(INTERIM)(
      'a response after interim responses, each on the same connection: %s',
      async (fault) => {
        receiver.respondWith(fault);
        for (let request = 1; request <= 3; request++)
          expect((await post(transport, receiver.url)).response).toMatchObject({ status: 200, body: 'ok' });
        expect(receiver.connectionCount).toBe(1);
      },
    );

    it('compressed bodies as they are', async () => {
      const { response } = await exchangeWith('gzip-bomb');
      expect(response).toMatchObject({ status: 200, truncated: true });
      expect(response?.body.length).toBeLessThanOrEqual(MAX_RESPONSE_BYTES);
      expect(response?.body.startsWith('\x1f')).toBe(true);
    });

    it('an endless body up to the bound, without waiting for the deadline', async () => {
      const { response } = await exchangeWith('endless-body');
      expect(response).toMatchObject({ status: 200, truncated: true });
      expect(response?.body).toHaveLength(MAX_RESPONSE_BYTES);
    });

    it.each<FaultName>([
      'trickle-body',
      'short-body',
      'short-last-body',
      'reset-in-body',
      'unfinished-chunks',
      'unfinished-last-chunks',
      'endless-trailers',
    ])('the start of a body that ends badly: %s', async (fault) => {
      const { response } = await exchangeWith(fault);
      expect(response).toMatchObject({ status: 200, truncated: true });
      expect(response?.body).toMatch(/^(b+|hello)$/);
    });
  });

  describe('fails with', () => {
    it.each<[string, FaultName]>([
      ['timeout', 'endless-103'],
      ['timeout', 'endless-100'],
      ...outcomes.filter(([code]) => CODES.includes(code)),
    ])('%s: %s', async (code, fault) => {
      const { response, error } = await exchangeWith(fault);
      expect(response).toBeNull();
      expect(error).toEqual({ code, message: expect.stringMatching(/^The [^.]+\.$/) });
    });

    it('connection_refused: nobody listens', async () => {
      const { url } = receiver;
      await receiver.close();
      expect((await post(transport, url)).error?.code).toBe('connection_refused');
    });
  });

  it('takes what comes on an idle connection for no part of the next answer', async () => {
    const answer = (status: string, body: string) =>
      `HTTP/1.1 ${status}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const answers = [answer('200 OK', ''), answer('500 No', answer('200 OK', 'forged'))];
    const sockets: Socket[] = [];
    const accept = (socket: Socket) => {
      sockets.push(socket);
      socket.on('data', () => socket.write(answers.shift() ?? ''));
    };
    const server = bench.closed(new LocalServer(createServer(accept)));
    await server.listen();
    expect((await post(transport, server.url)).response?.status).toBe(200);
    // So that it comes after the next request is asked for, and before that is written.
    await setImmediate();
    sockets[0]?.write('HTTP/1.1 100 Continue\r\nX: ');
    expect((await post(transport, server.url)).response?.status).toBe(500);
  });

  it('closes every connection when it closes', async () => {
    await post(transport, receiver.url);
    expect(receiver.openConnections).toBe(1);
    await transport.close();
    await receiver.waitFor(() => receiver.openConnections === 0);
  });
});
