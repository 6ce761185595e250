import net from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ADMIN_KEY } from '../../support/call.js';
import { databases } from '../../support/databases.js';
import { useDatabase, useReceiver } from '../../support/fixture.js';
import { newUser, notify } from '../../support/scene.js';
import { StreamReader } from '../../support/stream.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { INSPECTED } from '../fuzz/inspector.js';
import { memoryOf } from '../fuzz/memory.js';
import { production, type ServiceProcess, startProcessOn } from '../support/process.js';

const TRIGGERS = '/v1/webhook/trigger/stream';
const NOTIFICATIONS = '/v1/notification/stream';
const LARGE = { id: 'rec_1', text: 'x'.repeat(1_000_000), analysis: [] };

describe.each(databases)('streams and processes on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  const receiver = useReceiver();
  const env = { ...production, NODE_ENV: 'development', INSTANCE_TIMEOUT_SECONDS: '3' };
  const open: StreamReader[] = [];
  afterEach(() => {
    for (const stream of open.splice(0)) stream.close();
  });

  async function follow(service: ServiceProcess, path: string, lastId = ''): Promise<StreamReader> {
    const stream = await StreamReader.open(service.url + path, { lastId });
    open.push(stream);
    return stream;
  }

  /** Reports without a break until the process is gone. @returns the triggers that it has confirmed. */
  function reporting(
    service: ServiceProcess,
    user: string,
  ): { confirmed: string[]; isOver: Promise<unknown> } {
    const confirmed: string[] = [];
    const report = async () => {
      for (;;) {
        const { body } = await notify(service, user);
        confirmed.push(body.triggers[0].id);
      }
    };
    return { confirmed, isOver: Promise.allSettled(Array.from({ length: 8 }, report)) };
  }

  const delivered = (streams: StreamReader[]) =>
    new Set(
      streams.flatMap((stream) =>
        stream.of('trigger').flatMap(({ data }) => (data.status === 'SUCCEEDED' ? [data.id] : [])),
      ),
    );

  it('lose nothing that a process had committed before kill -9', async () => {
    const first = await startProcessOn(database, env);
    const isAlone = kind.name === 'SQLite';
    const second = isAlone ? first : await startProcessOn(database, env);
    const user = newUser();
    await createWebhook(first, { user_id: user, url: receiver.url });
    const stream = await follow(first, TRIGGERS);
    const { confirmed, isOver } = reporting(second, user);
    await until(() => confirmed.length >= 300, { withinMs: 20_000 });
    await second.end('SIGKILL');
    await isOver;
    if (isAlone) await first.start();
    // Where the process that streamed is gone, the client comes back.
    const again = isAlone ? await follow(first, TRIGGERS, stream.lastId) : stream;
    await until(() => confirmed.every((id) => delivered([stream, again]).has(id)), { withinMs: 20_000 });
    expect([...stream.of('reset'), ...again.of('reset')]).toEqual([]);
  }, 60_000);

  // Takes half a minute, and has nothing to do with the database.
  const onSqlite = kind.name === 'SQLite' ? it : it.skip;

  onSqlite(
    'keep little for a client that does not read, and cut it off',
    async () => {
      const service = await startProcessOn(database, { ...env, ...INSPECTED });
      const user = newUser();
      const reader = await follow(service, `${NOTIFICATIONS}?user_id=${user}`);
      await notify(service, user, { record: LARGE });
      await until(() => reader.events.length === 1);
      const before = await memoryOf(service);
      const sockets = await Promise.all(Array.from({ length: 8 }, () => deaf(service)));
      const sent = [];
      for (let i = 0; i < 60; i++) sent.push((await notify(service, user, { record: LARGE })).body.id);
      await until(() => reader.events.length === 61, { withinMs: 20_000 });
      expect(reader.events.slice(1).map(({ data }) => data.id)).toEqual(sent);
      const { external, heap } = await memoryOf(service);
      // 8 clients have missed 60 MB each, and a part of that is in the sockets of the operating system.
      expect(external + heap - before.external - before.heap).toBeLessThan(40);
      await until(() => sockets.every(({ destroyed }) => destroyed), { withinMs: 45_000 });
      expect(reader.isOver).toBe(false);
    },
    120_000,
  );

  /** A client that asks for the stream and reads nothing of it. */
  async function deaf(service: ServiceProcess): Promise<net.Socket> {
    const { port, hostname } = new URL(service.url);
    const socket = net.connect({ port: Number(port), host: hostname });
    database.defer(() => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.write(`GET ${NOTIFICATIONS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ADMIN_KEY}\r\n\r\n`);
    await new Promise((resolve) => socket.once('readable', resolve));
    // Only writing shows a socket that does not read that its connection has ended.
    const poke = setInterval(() => socket.write('\r\n'), 1000);
    socket.once('close', () => clearInterval(poke));
    return socket;
  }
});
