import { expect, it } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { SubscriberRepository } from '../../src/engine/accept/subscribers.repository.js';
import { Database } from '../../src/store/database.js';
import { describeOnMariadb } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { createWebhook } from '../support/webhook.js';

/** How many temporary tables the connection's statements have made on the server's disk. */
async function tablesOnDisk(manager: EntityManager): Promise<number> {
  const [row] = await manager.query<{ Value: string }[]>(
    "SHOW SESSION STATUS LIKE 'Created_tmp_disk_tables'",
  );
  return Number(row?.Value);
}

// SQLite makes none that outlives a statement, and none on a disk unless it is large.
describeOnMariadb('the search for subscribers on $name', (kind) => {
  const service = useService(kind);

  it('makes no table on the disk, also of webhooks with texts of any length and those that are skipped', async () => {
    const { app } = service;
    for (const kinds of [['RECORD_FINISHED'], ['ANALYSIS_FINISHED'], ['RECORD_FINISHED']])
      await createWebhook(service, { user_id: 'acme', events: kinds, settings: { ordering: 'record' } });
    const subscribers = app.get(SubscriberRepository, { strict: false });
    await app.get(Database, { strict: false }).transaction(async (manager) => {
      const before = await tablesOnDisk(manager);
      const found = await subscribers.of([{ userId: 'acme', eventKind: 'RECORD_FINISHED' }], manager);
      const { subscriptions, skipped } = found({ userId: 'acme', eventKind: 'RECORD_FINISHED' });
      expect(subscriptions).toHaveLength(2);
      expect(skipped).not.toBe('');
      expect(await tablesOnDisk(manager)).toBe(before);
    });
  });
});
