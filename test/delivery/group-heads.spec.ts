import { describe, expect, it } from '@jest/globals';
import { dueTimeOf, isUrgent } from '../../src/engine/ledger/due-time.js';
import { NEVER_DUE } from '../../src/engine/ledger/never-due.js';
import { OrderingRepository } from '../../src/engine/ordering/ordering.repository.js';
import { Database } from '../../src/store/database.js';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { newUser } from '../support/scene.js';
import { createWebhook } from '../support/webhook.js';
import { report } from './groups.js';

const LATER_MS = 600_000;

describe.each(databases)('the head of a group, on $name', (kind) => {
  const service = useService(kind, { ROLE: 'api' });

  const retry = (id: string) => service.call('POST', '/v1/webhook/trigger/retry', { id });
  const dueAt = async (id: string) =>
    Date.parse((await service.call('GET', `/v1/webhook/trigger?id=${id}`)).body.next_attempt_at);
  const stored = async (id: string) => {
    const database = service.get(Database);
    const sql = 'SELECT next_attempt_at AS at FROM webhook_trigger WHERE id = ?';
    return Number((await database.query<{ at: number | string }[]>(sql, [id]))[0]?.at);
  };
  const keep = () => service.get(OrderingRepository).processMarks();

  /** Changes a trigger's row as the end of an attempt does. */
  async function set(id: string, change: string): Promise<void> {
    const database = service.get(Database);
    await database.query(`UPDATE webhook_trigger SET ${change} WHERE id = ?`, [id]);
    await database.query('INSERT INTO webhook_ordering_mark (trigger_id) VALUES (?)', [id]);
    await keep();
  }

  it('makes due at once what was retried by hand after it was blocked', async () => {
    const user = newUser();
    await createWebhook(service, { user_id: user, settings: { ordering: 'record' } });
    const first = await report(service, user, 'one', 1);
    const second = await report(service, user, 'one', 2);
    await keep();
    await set(first, `status = 'FAILED', attempt_count = 1, next_attempt_at = 0`);
    const later = Date.now() + LATER_MS;
    await set(second, `attempt_count = 1, next_attempt_at = ${later}`);
    await retry(first);
    await keep();
    await set(first, `status = 'SUCCEEDED', attempt_count = 2, next_attempt_at = 0`);
    expect(await dueAt(second)).toBe(later);
    await retry(second);
    await keep();
    expect(await dueAt(second)).toBeLessThan(later - LATER_MS / 2);
  });

  it('goes before all others once it is the head, if it was retried by hand', async () => {
    const user = newUser();
    await createWebhook(service, { user_id: user, settings: { ordering: 'record' } });
    const [first, second] = [await report(service, user, 'one', 1), await report(service, user, 'one', 2)];
    await keep();
    await retry(second);
    await keep();
    expect(await stored(second)).toBe(NEVER_DUE);
    await set(first, `status = 'SUCCEEDED', next_attempt_at = 0`);
    await keep();
    expect(isUrgent(await stored(second))).toBe(true);
    expect(await dueAt(second)).toBe(dueTimeOf(await stored(second)));
  });

  it('is written by everybody who looks: a node of a cluster knows nothing of the locks of another', async () => {
    const user = newUser();
    await createWebhook(service, { user_id: user, settings: { ordering: 'record' } });
    const database = service.get(Database);
    const writes = async (id: string) => {
      const sql = 'SELECT writes FROM webhook_group_head WHERE trigger_id = ?';
      return (await database.query<{ writes: number }[]>(sql, [id]))[0]?.writes;
    };
    const id = await report(service, user, 'one', 1);
    await keep();
    const before = (await writes(id)) as number;
    await report(service, user, 'one', 2);
    await keep();
    // SQLite has one process, and runs one transaction at a time.
    expect(await writes(id)).toBe(kind.name === 'SQLite' ? before : before + 1);
  });
});
