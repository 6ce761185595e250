import { expect, it } from '@jest/globals';
import { createConnection } from 'mysql2/promise';
import { Database } from '../../../src/store/database.js';
import { describeOnMariadb } from '../../support/databases.js';
import { useService } from '../../support/fixture.js';
import { createWebhook } from '../../support/webhook.js';

// MySQL has no such bound; it waits until the connection is lost.
describeOnMariadb('a transaction on $name', (kind) => {
  const service = useService(kind);

  it('lets go of what it has locked when its process stands still', async () => {
    const { id } = await createWebhook(service);
    const database = service.get(Database);
    const other = await createConnection(service.database.url);
    await other.query('SET SESSION innodb_lock_wait_timeout = 25');
    const locked = Promise.withResolvers<void>();
    const thaw = Promise.withResolvers<void>();
    const frozen = database.transaction(async (manager) => {
      await database.query('SELECT id FROM webhook WHERE id = ? FOR UPDATE', [id], manager);
      locked.resolve();
      await thaw.promise;
      await database.query(`UPDATE webhook SET name = 'late' WHERE id = ?`, [id], manager);
    });
    await locked.promise;
    await other.query(`UPDATE webhook SET name = 'in time' WHERE id = ?`, [id]);
    thaw.resolve();
    await expect(frozen).rejects.toThrow();
    const [rows] = await other.query('SELECT name FROM webhook WHERE id = ?', [id]);
    expect(rows).toEqual([{ name: 'in time' }]);
    await other.end();
  });
});
