import { beforeEach, describe, expect, it } from '@jest/globals';
import { StatisticAdding } from '../../src/engine/counts/adding.js';
import { deltasOf } from '../../src/engine/counts/delta.js';
import { CancellationRepository } from '../../src/engine/ledger/cancel/cancellation.repository.js';
import { QueueSignals } from '../../src/engine/ledger/queue-signals.js';
import { IdempotencyRepository } from '../../src/idempotency/idempotency.repository.js';
import { newId } from '../../src/platform/ids/ids.js';
import { Database } from '../../src/store/database.js';
import { describeOnMariadb } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { type Stranger, strangerAt } from '../support/stranger.js';
import { until } from '../support/until.js';

const DAY = 24 * 60 * 60 * 1000;

// On SQLite there is no other connection.
describeOnMariadb('a row that is locked on $name costs itself', (kind) => {
  const service = useService(kind, { ROLE: 'api' });
  let stranger: Stranger;

  beforeEach(async () => {
    stranger = await strangerAt(service.database);
  });

  const idsIn = async (table: string, key = 'id') => {
    const rows = await service.query<{ id: string }>(`SELECT ${key} AS id FROM ${table} ORDER BY ${key}`);
    return rows.map(({ id }) => id);
  };

  it('among idempotency keys that have expired', async () => {
    const hashes = ['a', 'b', 'c'].map((letter) => letter.repeat(64));
    const columns = ['hash', 'request_hash', 'subject_id', 'created_at'];
    const rows = hashes.map((hash) => [hash, 'r', 's', Date.now() - 2 * DAY]);
    await service.get(Database).writeTogether([{ table: 'webhook_idempotency', columns, rows }]);
    await stranger.lock('webhook_idempotency', [String(hashes[1])], { key: 'hash' });
    await service.get(IdempotencyRepository).purgeSome(Date.now());
    expect(await idsIn('webhook_idempotency', 'hash')).toEqual([hashes[1]]);
  });

  describe('among counts', () => {
    const [first, second] = ['first', 'second'];
    const deltas = () => idsIn('webhook_statistic_delta');
    /** Counts an attempt of a webhook of each of these users. @returns the ids of the deltas. */
    async function count(...users: string[]): Promise<string[]> {
      const attempts = users.map((userId) => [
        {
          ...{ userId, webhookId: userId, eventKind: 'RECORD_FINISHED', outcome: '200', exhausted: false },
          ...{ beginAt: 1_700_000_000_000, endAt: 1_700_000_000_010 },
        },
      ]);
      const database = service.get(Database);
      await database.transaction((manager) => database.insertMany(manager, deltasOf(attempts)));
      return deltas();
    }

    it('that are not added yet', async () => {
      const [stuck = ''] = await count(first, second);
      await stranger.lock('webhook_statistic_delta', [stuck]);
      await service.get(StatisticAdding).addSome();
      expect(await deltas()).toEqual([stuck]);
      await stranger.letGo();
      await service.get(StatisticAdding).addSome();
      expect(await deltas()).toEqual([]);
    });

    it('that others are added to', async () => {
      await count(first, second);
      await stranger.query('SELECT counts FROM webhook_statistic WHERE user_id = ? FOR UPDATE', [first]);
      await expect(service.get(StatisticAdding).addSome()).rejects.toMatchObject({ errno: 1205 });
      const left = await service.query('SELECT counts FROM webhook_statistic_delta');
      expect(left).toHaveLength(1);
      expect(JSON.stringify(left)).toContain(first);
      await stranger.letGo();
      await service.get(StatisticAdding).addSome();
      expect(await deltas()).toEqual([]);
    });
  });

  it('among webhooks whose triggers are left to cancel', async () => {
    const [first, second] = [newId(), newId()];
    for (const [at, id] of [first, second].entries())
      await service.query('INSERT INTO webhook_cancellation (webhook_id, requested_at) VALUES (?, ?)', [
        id,
        at,
      ]);
    const repository = service.get(CancellationRepository);
    const cancelLeft = repository.cancelLeft.bind(repository);
    repository.cancelLeft = (id, ...more) =>
      id === first
        ? Promise.reject(Object.assign(new Error('locked'), { errno: 1205 }))
        : cancelLeft(id, ...more);
    service.get(QueueSignals).emit('leftToCancel');
    const left = () => idsIn('webhook_cancellation', 'webhook_id');
    await until(async () => (await left()).length === 1, { what: 'the cancellation of the second' });
    expect(await left()).toEqual([first]);
  });
});
