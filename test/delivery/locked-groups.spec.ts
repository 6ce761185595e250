import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Connection, createConnection } from 'mysql2/promise';
import { OrderingRepository } from '../../src/engine/ordering/ordering.repository.js';
import { describeOnMariadb } from '../support/databases.js';
import { type ServiceFixture, useReceiver, useService } from '../support/fixture.js';
import { finished, newUser } from '../support/scene.js';
import { createWebhook } from '../support/webhook.js';
import { report, toldBy } from './groups.js';

// On SQLite there is no other process.
describeOnMariadb('a group that is locked on $name', (kind) => {
  let user: string;
  /** A process that stands still in the middle of a transaction. */
  let frozen: Connection;

  function useFrozen(service: ServiceFixture): void {
    beforeEach(async () => {
      user = newUser();
      frozen = await createConnection(service.database.url);
      await frozen.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
    });
    afterEach(() => frozen.end());
  }

  async function lockAll(): Promise<void> {
    await frozen.query('BEGIN');
    const [rows] = await frozen.query('SELECT ordering_key FROM webhook_group_head FOR UPDATE');
    expect(rows).not.toEqual([]);
  }

  describe('to a process that does not send', () => {
    const service = useService(kind, { ROLE: 'api' });
    useFrozen(service);

    it('is not in the way of others, however few there are', async () => {
      const ordering = service.get(OrderingRepository);
      await createWebhook(service, { user_id: user, settings: { ordering: 'record' } });
      for (const record of ['a', 'b', 'c']) await report(service, user, record, 1);
      await ordering.processMarks();
      await lockAll();
      await report(service, user, 'd', 1);
      await ordering.processMarks();
      const [rows] = await frozen.query(`SELECT ordering_key FROM webhook_group_head WHERE trigger_id <> ''`);
      expect(rows).toHaveLength(4);
    });
  });

  describe('to one that sends', () => {
    const service = useService(kind);
    const receiver = useReceiver('test');
    useFrozen(service);

    it('holds up neither other groups nor the result of what was sent', async () => {
      await createWebhook(service, { user_id: user, url: receiver.url, settings: { ordering: 'record' } });
      const gate = Promise.withResolvers<void>();
      receiver.respondWith((request) => (toldBy(request).record === 'free' ? {} : { after: gate.promise }));
      const stuck = await report(service, user, 'stuck', 1);
      await receiver.waitFor(1);
      await lockAll();
      const next = await report(service, user, 'stuck', 2);
      const free = await report(service, user, 'free', 1);
      expect(await finished(service, free)).toMatchObject({ status: 'SUCCEEDED' });
      gate.resolve();
      expect(await finished(service, stuck)).toMatchObject({ status: 'SUCCEEDED' });
      await frozen.query('ROLLBACK');
      expect(await finished(service, next)).toMatchObject({ status: 'SUCCEEDED' });
    });
  });
});
