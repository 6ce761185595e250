import net, { type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readProxyAnswer } from './proxy-answer.js';

const HEAD = 'HTTP/1.1 200 Connection established\r\nVia: 1.1 proxy';

describe('readProxyAnswer', () => {
  let server: Server;
  let socket: Socket;
  let peer: Socket;

  beforeEach(async () => {
    server = net.createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
    socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1').setNoDelay(true);
    peer = (await accepted).setNoDelay(true);
    peer.on('error', () => {});
  });
  afterEach(async () => {
    socket.destroy();
    peer.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  const read = (signal = new AbortController().signal) => readProxyAnswer(socket, signal);

  it.each(['data', 'readable'] as const)(
    'leaves the bytes after the head to a reader that listens for %s',
    async (event) => {
      peer.write(`${HEAD}\r\n\r\nbehind `);
      expect(await read()).toBe(HEAD);
      peer.end('and later');
      const text = await new Promise<string>((resolve) => {
        let all = '';
        socket.on(event, (chunk?: Buffer) => {
          all += chunk ?? socket.read() ?? '';
          if (all.endsWith('later')) resolve(all);
        });
      });
      expect(text).toBe('behind and later');
      expect(['data', 'readable', 'close'].map((name) => socket.listenerCount(name))).toEqual(
        ['data', 'readable', 'close'].map((name) => (name === event ? 1 : 0)),
      );
    },
  );

  it('reads a head that arrives one byte at a time', async () => {
    const answer = read();
    for (const byte of Buffer.from(`${HEAD}\r\n\r\n`)) {
      await new Promise((resolve) => peer.write(Buffer.from([byte]), resolve));
    }
    expect(await answer).toBe(HEAD);
  });

  it.each([8 * 1024, 8 * 1024 + 1])('accepts a head of up to 8 KiB: %d bytes', async (length) => {
    const head = `HTTP/1.1 200 ${'x'.repeat(length - 13)}`;
    peer.write(`${head}\r\n\r\n`);
    if (length === 8 * 1024) expect(await read()).toBe(head);
    else await expect(read()).rejects.toMatchObject({ failure: 'connection_refused' });
  });

  it('passes over interim heads that nobody asked for', async () => {
    peer.write(`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102\r\nVia: 1.1 proxy\r\n\r\n${HEAD}\r\n\r\n`);
    expect(await read()).toBe(HEAD);
  });

  it('gives up on interim heads without end', async () => {
    const flood = () => void (peer.destroyed || peer.write('HTTP/1.1 100 Continue\r\n\r\n', () => flood()));
    flood();
    await expect(read()).rejects.toMatchObject({ failure: 'connection_refused' });
  });

  it('gives up on a head that does not end', async () => {
    peer.write('HTTP/1.1 200 OK\r\n');
    const flood = () => void (peer.destroyed || peer.write('X-Filler: x\r\n'.repeat(50), () => flood()));
    flood();
    await expect(read()).rejects.toMatchObject({ failure: 'connection_refused' });
  });

  it.each<[string, (peer: Socket) => unknown]>([
    ['closes', (peer) => peer.end()],
    ['closes in the middle', (peer) => peer.end('HTTP/1.1 200')],
    ['resets', (peer) => peer.resetAndDestroy()],
  ])('fails where the proxy %s', async (_what, act) => {
    act(peer);
    await expect(read()).rejects.toMatchObject({ failure: 'connection_reset' });
  });

  it('fails at the deadline', async () => {
    const deadline = new AbortController();
    const answer = read(deadline.signal);
    deadline.abort();
    await expect(answer).rejects.toMatchObject({ failure: 'timeout' });
    await expect(read(AbortSignal.abort())).rejects.toMatchObject({ failure: 'timeout' });
  });
});
