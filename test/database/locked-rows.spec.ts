import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { LockedRowsError } from '../../src/platform/database-error.js';
import { newId } from '../../src/platform/ids/ids.js';
import { Database } from '../../src/store/database.js';
import { LockedRows } from '../../src/store/locked-rows.js';
import { describeOnMariadb } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { strangerAt } from '../support/stranger.js';

const TABLE = 'webhook_statistic_delta';

// On SQLite there is no other connection.
describeOnMariadb('LockedRows on $name', (kind) => {
  const service = useService(kind, { ROLE: 'api' });
  const [first, second] = [newId(), newId()];
  let skipped = 0;

  beforeEach(async () => {
    await service.query(`INSERT IGNORE INTO ${TABLE} (id, counts) VALUES (?, ''), (?, '')`, [first, second]);
    const { now } = performance;
    jest.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + skipped);
  });
  afterEach(() => void jest.restoreAllMocks());

  /** @returns what lets go of it. */
  async function lock(id: string, mode = 'FOR UPDATE'): Promise<() => Promise<unknown>> {
    const stranger = await strangerAt(service.database);
    await stranger.lock(TABLE, [id], { mode });
    return stranger.letGo;
  }
  const rowsOf = (options = {}) => new LockedRows(service.app.get(Database), TABLE, options);
  const timesOut = async () => {
    throw Object.assign(new Error('Lock wait timeout exceeded'), { errno: 1205 });
  };
  const guard = (rows: LockedRows, id: string, work: () => Promise<unknown> = async () => 'done') =>
    rows
      .guard(() => [id], work)
      .catch((error: unknown) => (error instanceof LockedRowsError ? [...error.keys] : 'failed'));

  it('looks at rows for half a minute after a lock was not free in time, whatever it finds meanwhile', async () => {
    const rows = rowsOf();
    const letGo = await lock(first);
    expect(await guard(rows, first, timesOut)).toEqual([first]);
    await letGo();
    // Somebody has another one for a moment, whenever it looks.
    await lock(second);
    for (let seconds = 0; seconds < 30; seconds += 10) {
      expect(await guard(rows, second)).toEqual([second]);
      skipped += 10_000;
    }
    expect(await guard(rows, second)).toBe('done');
  });

  it.each(['LOCK IN SHARE MODE', 'FOR UPDATE'])(
    'knows what keeps work that shares locks: %s',
    async (mode) => {
      const rows = rowsOf({ shared: true });
      await lock(first);
      expect(await guard(rows, first, timesOut)).toEqual([first]);
      await lock(second, mode);
      expect(await guard(rows, second)).toEqual(mode === 'FOR UPDATE' ? [second] : 'done');
    },
  );
});
