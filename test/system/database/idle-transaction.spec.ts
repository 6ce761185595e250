import { expect, it } from '@jest/globals';
import { Database } from '../../../src/store/database.js';
import { describeOnMariadb } from '../../support/databases.js';
import { useService } from '../../support/fixture.js';
import { createWebhook } from '../../support/webhook.js';
import { queryOnce } from '../support/query-once.js';

// MySQL has no such bound; it waits until the connection is lost.
describeOnMariadb('a transaction on $name', (kind) => {
  const service = useService(kind);

  it('lets go of what it has locked when its process stands still', async () => {
    const { id } = await createWebhook(service);
    const database = service.get(Database);
    const locked = Promise.withResolvers<void>();
    const thaw = Promise.withResolvers<void>();
    const frozen = database.transaction(async (manager) => {
      await database.query('SELECT id FROM webhook WHERE id = ? FOR UPDATE', [id], manager);
      locked.resolve();
      await thaw.promise;
      await database.query(`UPDATE webhook SET name = 'late' WHERE id = ?`, [id], manager);
    });
    await locked.promise;
    const update = `UPDATE webhook SET name = 'in time' WHERE id = '${id}'`;
    const inTime = `SET STATEMENT innodb_lock_wait_timeout = 25 FOR ${update}`;
    await queryOnce({ uri: service.database.url }, inTime);
    thaw.resolve();
    await expect(frozen).rejects.toThrow();
    expect(await service.query('SELECT name FROM webhook')).toEqual([{ name: 'in time' }]);
  });
});
