import { describe, expect, it } from '@jest/globals';
import { TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { QueryResultCache } from 'typeorm/cache/QueryResultCache.js';
import { databases } from '../support/databases.js';
import { hostDataSource } from '../support/host.js';
import { attempted, trigger } from '../support/scene.js';
import { createWebhook } from '../support/webhook.js';
import { webhookModule } from './application.js';
import { useHost } from './use-host.js';

/** Keeps what it gets for as long as the test runs. */
class KeptResults implements QueryResultCache {
  readonly queries = new Map<string | undefined, object>();

  isExpired = () => false;
  getFromCache = async ({ query }: { query?: string }) => this.queries.get(query) as never;
  async storeInCache(result: { query?: string }): Promise<void> {
    this.queries.set(result.query, result);
  }
  async connect(): Promise<void> {}
  async disconnect(): Promise<void> {}
  async synchronize(): Promise<void> {}
  async clear(): Promise<void> {}
  async remove(): Promise<void> {}
}

describe.each(databases)('on $name, in a host whose TypeORM answers every query from its cache', (kind) => {
  const kept = new KeptResults();
  const host = useHost(kind, {
    dataSource: (url) =>
      TypeOrmModule.forRoot({
        ...hostDataSource(url),
        cache: { alwaysEnabled: true, provider: () => kept },
      } as TypeOrmModuleOptions),
    webhooks: webhookModule({ principal: () => ({ userId: 'ada', scopes: ['admin'] }) }),
  });

  it('webhooks are read as they are now, and none is kept there', async () => {
    const { id } = await createWebhook(host);
    const find = () => host.call('GET', `/v1/webhook?id=${id}`);
    await find();
    await host.call('PATCH', '/v1/webhook', { id, name: 'new' });
    await host.call('PATCH', '/v1/webhook', { id, description: 'newer' });
    expect((await find()).body).toMatchObject({ name: 'new', description: 'newer' });
    await attempted(host, await trigger(host, 'ada'));
    await host.call('DELETE', `/v1/webhook?id=${id}`);
    expect((await find()).status).toBe(404);
    // What is left is TypeORM's own look at the migrations.
    const ours = [...kept.queries.keys()].filter((query) => !query?.includes('webhook_migration'));
    expect(ours).toEqual([]);
  });

  it('its own queries are answered from there as before', async () => {
    const count = () =>
      host.get(DataSource).createQueryBuilder().select('COUNT(*)', 'n').from('webhook', 'w').getRawOne();
    const before = await count();
    await createWebhook(host);
    expect(await count()).toEqual(before);
  });
});
