import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { EventEmitter2 } from '@nestjs/event-emitter';
import { TypeOrmModule } from '@nestjs/typeorm';
import { LifecyclePublisher, NotifierService } from '../../../src/index.js';
import { createDataSource, dataSourceOptions } from '../../../src/store/schema/data-source.js';
import { webhookModule } from '../../host/application.js';
import { databases } from '../../support/databases.js';
import { useDatabase, useReceiver } from '../../support/fixture.js';
import { hostDataSource, startHost } from '../../support/host.js';
import { until } from '../../support/until.js';

const PROGRAM = join(import.meta.dirname, 'host-process.mjs');
/** Notifications answered with 201 during the shutdown, before its last attempt may end. */
const WHILE_CLOSING = 60;
const AT_ONCE = 6;
const HOWS = ['emit', 'notify', 'transaction'] as const;

const event = (id: string) => ({ user_id: 'acme', record: { id, analysis: [] } });

/** Uses a new connection for each call: a busy kept-alive one would keep Express from closing. */
async function post(url: string): Promise<number | undefined> {
  const request = http.request(url, { method: 'POST', agent: false }).end();
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  response.resume();
  return response.statusCode;
}

/** Emits as early as a provider can, before the application is up. */
@Injectable()
class EarlyBird implements OnModuleInit {
  constructor(private readonly emitter: EventEmitter2) {}

  async onModuleInit(): Promise<void> {
    await this.emitter.emitAsync('record.finished', event('early'));
  }
}

describe.each(databases)('a host that shuts down, on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  const receiver = useReceiver('test');

  async function storedIds(): Promise<Set<string>> {
    const dataSource = await createDataSource(dataSourceOptions(database.url)).initialize();
    const rows = await dataSource.query<{ body: Buffer }[]>('SELECT body FROM webhook_notification');
    await dataSource.destroy();
    return new Set(rows.map(({ body }) => JSON.parse(body.toString()).data.id));
  }

  const host = (adapter: 'Express' | 'Fastify', early: Type[] = []) =>
    startHost({
      adapter,
      database: {
        // Global modules are initialised first.
        module: class Early {},
        global: true,
        imports: [TypeOrmModule.forRoot(hostDataSource(database.url))],
        providers: early,
      },
      webhooks: webhookModule({ routes: false }),
    });

  describe.each(['Express', 'Fastify'] as const)('with %s', (adapter) => {
    it('stores every notification it confirmed until its server closed', async () => {
      const release = receiver.hold();
      const child = spawn(process.execPath, [PROGRAM], {
        cwd: mkdtempSync(join(tmpdir(), 'webhook-host-')),
        env: {
          PATH: process.env.PATH,
          ADAPTER: adapter,
          DATABASE_URL: database.url,
          RECEIVER_URL: receiver.url,
        },
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text) => (output += text));
      const exited = once(child, 'exit');
      const port = await until(() => /listening on (\d+)/.exec(output)?.[1], {
        what: 'the host',
      });

      const answered: string[] = [];
      const refused: string[] = [];
      let sent = 0;
      const order = async () => {
        const id = `order-${++sent}`;
        const how = HOWS[sent % HOWS.length];
        const status = await post(`http://127.0.0.1:${port}/orders?id=${id}&how=${how}`);
        if (status === 201) answered.push(id);
        // Fastify itself answers 503 once it closes.
        else if (status !== 503) refused.push(id);
      };
      const client = async () => {
        for (;;) await order();
      };
      // Each ends with an error once the server has closed.
      const clients = Array.from({ length: AT_ONCE }, () => client().catch(() => {}));
      await until(() => receiver.requests.length > 0 && answered.length > 30);
      child.kill('SIGTERM');
      const before = answered.length;
      await until(() => answered.length >= before + WHILE_CLOSING, {
        what: 'answers while it closes',
      });
      release();
      await Promise.all(clients);
      expect((await exited)[1]).toBe('SIGTERM');
      const stored = await storedIds();
      expect(answered.filter((id) => !stored.has(id))).toEqual([]);
      expect(refused).toEqual([]);
      expect(output).not.toContain('not stored');
    });

    it('refuses every way to notify after the shutdown', async () => {
      const { app } = await host(adapter);
      const emitter = app.get(EventEmitter2);
      const notifier = app.get(NotifierService, { strict: false });
      const publisher = app.get(LifecyclePublisher, { strict: false });
      await app.close();
      const late = ['record.finished', event('late')] as const;
      const refusal = { status: 503, code: 'shut_down', message: expect.stringMatching(/shut down/) };
      await expect(notifier.notify(...late)).rejects.toMatchObject(refusal);
      await expect(publisher.publish(...late)).rejects.toMatchObject(refusal);
      await expect(emitter.emitAsync(...late)).rejects.toMatchObject(refusal);
      expect(emitter.emit(...late)).toBe(true);
      expect(await storedIds()).toEqual(new Set());
    });

    it('stores events that were emitted without waiting before the shutdown', async () => {
      const { app } = await host(adapter);
      const emitter = app.get(EventEmitter2);
      const ids = Array.from({ length: 200 }, (_, n) => `last-${n}`);
      for (const id of ids) emitter.emit('record.finished', event(id));
      await app.close();
      expect(await storedIds()).toEqual(new Set(ids));
    });
  });

  it('stores events that are emitted during startup', async () => {
    const { app } = await host('Fastify', [EarlyBird]);
    expect(await storedIds()).toEqual(new Set(['early']));
    await app.close();
  });
});
