import { afterAll, expect, it } from '@jest/globals';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WebhookModule, webhookDatabase } from '../../../src/index.js';
import { useUsualCallDeadline } from '../../support/call-deadline.js';
import { describeOnMariadb } from '../../support/databases.js';
import { HOST_KEYS, hostDataSource, startHost } from '../../support/host.js';
import { FaultyProxy } from '../../support/proxy.js';
import { startReceiver } from '../../support/receiver.js';
import { finished, newUser, trigger } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { ENCRYPTION_KEYS, type ServiceProcess, startProcess } from '../support/process.js';

const SHUTDOWN_MS = 30_000;

// The cases run at the same time, because each waits for most of 30 s. So each has its own database and proxy.
describeOnMariadb('a shutdown while $name is silent', (kind) => {
  useUsualCallDeadline();
  /** @param work is given the database's URL, and the URL through a proxy that can fall silent. */
  async function withProxy(
    work: (directUrl: string, url: string, proxy: FaultyProxy) => Promise<void>,
  ): Promise<void> {
    const database = await kind.create();
    const { proxy, url } = await FaultyProxy.before(database.url);
    try {
      await work(database.url, url, proxy);
    } finally {
      await proxy.close();
      await database.drop();
    }
  }

  const services: ServiceProcess[] = [];
  afterAll(() => Promise.all(services.map((service) => service.end('SIGKILL'))));

  async function start(databaseUrl: string): Promise<ServiceProcess> {
    const env = { DATABASE_URL: databaseUrl, ENCRYPTION_KEYS, INSTANCE_TIMEOUT_SECONDS: '3' };
    const service = await startProcess(env);
    services.push(service);
    return service;
  }

  it.concurrent('ends the service within 30 s, also if a receiver is silent, and the next process sends what could not be stored', () =>
    withProxy(async (directUrl, proxiedUrl, proxy) => {
      const service = await start(proxiedUrl);
      const receiver = await startReceiver();
      const user = newUser();
      await createWebhook(service, { user_id: user, url: receiver.url });
      const release = receiver.hold();
      const id = await trigger(service, user);
      const other = newUser();
      const url = `${receiver.url}/silent`;
      receiver.respondWith('/silent', 'silent');
      await createWebhook(service, { user_id: other, url, settings: { timeout_ms: 30_000 } });
      await trigger(service, other);
      await receiver.waitFor(2);
      proxy.freeze();
      release();
      // Calls, results and heartbeats now wait for the database.
      await until(async () => (await service.readiness()) === 503);
      const askedAt = Date.now();
      expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
      expect(Date.now() - askedAt).toBeLessThan(SHUTDOWN_MS);
      // Only now does the server learn that the process is gone, and roll back its transactions.
      proxy.heal();
      const next = await start(directUrl);
      expect(await finished(next, id)).toMatchObject({ status: 'SUCCEEDED' });
      await receiver.close();
    }));

  it.concurrent.each([
    ['the module made', (url: string) => TypeOrmModule.forRootAsync(webhookDatabase(url))],
    ['it made itself', (url: string) => TypeOrmModule.forRoot(hostDataSource(url))],
  ])('ends an application whose data source %s', (_maker, database) =>
    withProxy(async (_directUrl, url, proxy) => {
      const host = await startHost({
        adapter: 'Express',
        database: database(url),
        webhooks: WebhookModule.forRoot({
          encryptionKeys: HOST_KEYS,
          principal: () => ({ userId: 'me', scopes: ['webhooks:read'] }),
        }),
      });
      proxy.freeze();
      // Leaves a statement in progress during the shutdown.
      const answer = host.call('GET', '/v1/webhook/list').catch(() => null);
      const askedAt = Date.now();
      await host.app.close();
      expect(Date.now() - askedAt).toBeLessThan(SHUTDOWN_MS + 5000);
      await answer;
    }),
  );
});
