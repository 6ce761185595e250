import { describe, expect, it } from '@jest/globals';
import { DAY_MS, type Given, left, store } from '../../retention/stored.js';
import { databases } from '../../support/databases.js';
import { useDatabase } from '../../support/fixture.js';
import { until } from '../../support/until.js';
import { ENCRYPTION_KEYS, startProcessOn } from '../support/process.js';

describe.each(databases)('retention that is killed, on $name', (kind) => {
  const database = useDatabase(kind, 'test');

  it('goes on after kill -9, and leaves nothing and no half of anything behind', async () => {
    const kept = await database.start({ ROLE: 'api', ENCRYPTION_KEYS });
    const isPending = (n: number) => n % 10 === 0;
    const stored = await store(
      kept,
      Array.from(
        { length: 600 },
        (_, n): Given => ({
          ageMs: DAY_MS + n,
          statuses: ['SUCCEEDED', isPending(n) ? 'PENDING' : 'FAILED'],
        }),
      ),
    );
    if (kind.name === 'SQLite') await kept.stop();
    const env = {
      ...{ RETRY_SCHEDULE_SECONDS: '0.1', RETENTION_PAYLOAD_DAYS: '0.00001', RETENTION_DAYS: '0.00002' },
      ...{ ENCRYPTION_KEYS, INSTANCE_TIMEOUT_SECONDS: '3' },
    };
    for (const afterMs of [1100, 1250, 1400]) {
      const service = await startProcessOn(database, env);
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      await service.end('SIGKILL');
    }
    const last = await database.start(env);
    const pending = stored.filter((_, n) => isPending(n));
    await until(async () => (await left(last)).notifications.length === pending.length);
    const found = await left(last);
    expect(found.whole).toEqual(pending.map(({ id }) => id).sort());
    expect(found.triggers).toEqual(pending.flatMap(({ triggers }) => triggers).sort());
    expect(found.wholeAttempts).toEqual(found.triggers);
  });
});
