import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Connection, createConnection } from 'mysql2/promise';
import { LineRepository } from '../../src/delivery/line/line.repository.js';
import { databases } from '../support/databases.js';
import { type ServiceFixture, useService } from '../support/fixture.js';
import { newUser } from '../support/scene.js';
import { createWebhook } from '../support/webhook.js';
import { report } from './lines.js';

// On SQLite there is no other process.
describe.each(databases.filter(({ name }) => name === 'MariaDB'))(
  'a line that is locked on $name',
  (kind) => {
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
      const [rows] = await frozen.query('SELECT line FROM webhook_line_turn FOR UPDATE');
      expect(rows).not.toEqual([]);
    }

    describe('to a process that does not send', () => {
      const service = useService(kind, { ROLE: 'api' });
      useFrozen(service);

      it('is not in the way of others, however few there are', async () => {
        const lines = service.app.get(LineRepository, { strict: false });
        await createWebhook(service, { user_id: user, settings: { ordering: 'record' } });
        for (const record of ['a', 'b', 'c']) await report(service, user, record, 1);
        await lines.keepSome();
        await lockAll();
        await report(service, user, 'd', 1);
        await lines.keepSome();
        const [rows] = await frozen.query(`SELECT line FROM webhook_line_turn WHERE trigger_id <> ''`);
        expect(rows).toHaveLength(4);
      });
    });
});
