import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WebhookModule } from '../../src/index.js';
import { databases, type TestDatabase } from '../support/databases.js';
import { HOST_KEYS, hostDataSource, startHost } from '../support/host.js';
import { ENCRYPTION_KEYS, type ServiceProcess, startProcess } from '../support/process.js';
import { FaultyProxy } from '../support/proxy.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { createWebhook, finished, newUser, trigger } from '../support/scene.js';
import { until } from '../support/until.js';

const SHUTDOWN_MS = 30_000;

describe.each(databases.filter(({ name }) => name === 'MariaDB'))(
  'A shutdown while $name is silent',
  (kind) => {
    let database: TestDatabase;
    let proxy: FaultyProxy;
    let url: string;
    let receiver: Receiver;
    let services: ServiceProcess[] = [];

    async function start(databaseUrl: string): Promise<ServiceProcess> {
      const service = await startProcess({
        DATABASE_URL: databaseUrl,
        ENCRYPTION_KEYS,
        INSTANCE_TIMEOUT_SECONDS: '3',
      });
      services.push(service);
      return service;
    }

    beforeEach(async () => {
      database = await kind.create();
      ({ proxy, url } = await FaultyProxy.before(database.url));
      receiver = await startReceiver();
    });
    afterEach(async () => {
      for (const service of services) await service.end('SIGKILL');
      services = [];
      await receiver.close();
      await proxy.close();
      await database.drop();
    });

    it('ends the service in time, and what it could not store is sent by the next', async () => {
      const service = await start(url);
      const user = newUser();
      await createWebhook(service, user, receiver.url);
      const { promise, resolve } = Promise.withResolvers<void>();
      receiver.respondWith({ after: promise });
      const id = await trigger(service, user);
      await receiver.waitFor(1);
      proxy.freeze();
      resolve();
      // Calls, results and heartbeats wait for the database by then.
      await until(async () => (await service.readiness()) === 503);
      const askedAt = Date.now();
      expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
      expect(Date.now() - askedAt).toBeLessThan(SHUTDOWN_MS);
      // The server hears only now that the process is gone, and ends its transactions.
      proxy.heal();
      const next = await start(database.url);
      expect(await finished(next, id, 20_000)).toMatchObject({ status: 'SUCCEEDED' });
      expect(await next.end('SIGTERM')).toEqual({ code: 0, signal: null });
    }, 90_000);

    it.each([true, false])(
      'ends an application that the module is part of (data source of ours: %s)',
      async (ours) => {
        const { webhookDatabase } = await import('../../src/index.js');
        const host = await startHost({
          adapter: 'Express',
          database: ours
            ? TypeOrmModule.forRootAsync(webhookDatabase(url))
            : TypeOrmModule.forRoot(hostDataSource(url)),
          webhooks: WebhookModule.forRoot({
            encryptionKeys: HOST_KEYS,
            principal: () => ({ userId: 'me', scopes: ['webhooks:read'] }),
          }),
        });
        proxy.freeze();
        // A statement is under way when the end comes.
        const answer = host.call('GET', '/v1/webhook/list').catch(() => null);
        const askedAt = Date.now();
        await host.app.close();
        expect(Date.now() - askedAt).toBeLessThan(SHUTDOWN_MS + 5000);
        await answer;
      },
      60_000,
    );
  },
);
