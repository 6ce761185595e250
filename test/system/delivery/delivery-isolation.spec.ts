import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DataSource, type Logger } from 'typeorm';
import { databases } from '../../support/databases.js';
import { useReceiver, useService } from '../../support/fixture.js';
import { newUser, notify } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';

/** Queries: a loop makes hundreds in that time, and a round of all that runs in the background thirty. */
const FEW = 90;
const PER_WEBHOOK = 2;

describe.each(databases)('isolation of webhooks on $name', (kind) => {
  const service = useService(kind, { WEBHOOK_CONCURRENCY: String(PER_WEBHOOK), DELIVERY_CONCURRENCY: '4' });
  const receiver = useReceiver('test');
  let user: string;
  let release: () => void;
  let released: Promise<void>;

  beforeEach(() => {
    user = newUser();
    ({ promise: released, resolve: release } = Promise.withResolvers<void>());
  });
  afterEach(() => release());

  const at = (wanted: string) => receiver.requests.filter(({ path }) => path === wanted).length;
  const notifyTimes = (count: number) =>
    Promise.all(Array.from({ length: count }, () => notify(service, user)));

  async function statusesOf(webhookId: string): Promise<string[]> {
    const { body } = await service.call('GET', `/v1/webhook/trigger/list?limit=100&webhook_id=${webhookId}`);
    return body.data.map(({ status }: { status: string }) => status);
  }

  it('rarely queries the database while a receiver hangs', async () => {
    await createWebhook(service, { user_id: user, url: receiver.url });
    receiver.respondWith({ after: released });
    await notifyTimes(40);
    await receiver.waitFor(PER_WEBHOOK);
    const queries = await queriesWithin(500);
    expect(queries.length).toBeLessThan(FEW);
  });

  it('a webhook with an unreadable secret delays no other', async () => {
    const { id } = await createWebhook(service, { user_id: user, url: `${receiver.url}/lost` });
    await createWebhook(service, { user_id: user, url: `${receiver.url}/fine` });
    await service.app.get(DataSource).query(`UPDATE webhook SET sealed_secret = 'lost' WHERE id = ?`, [id]);
    await notifyTimes(10);
    await receiver.waitFor(() => at('/fine') === 10);
    await until(async () => (await statusesOf(id)).every((status) => status === 'PENDING'));
    expect((await queriesWithin(300)).length).toBeLessThan(FEW);
    expect(at('/lost')).toBe(0);
  });

  /** The queries of the service in the next `ms` milliseconds. */
  async function queriesWithin(ms: number): Promise<string[]> {
    const dataSource = service.app.get(DataSource);
    const { logger } = dataSource;
    const queries: string[] = [];
    dataSource.logger = { ...silent, logQuery: (query: string) => queries.push(query) } as unknown as Logger;
    await new Promise((resolve) => setTimeout(resolve, ms));
    dataSource.logger = logger;
    return queries;
  }
});

const silent = {
  logQueryError() {},
  logQuerySlow() {},
  logSchemaBuild() {},
  logMigration() {},
  log() {},
};
