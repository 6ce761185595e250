import { describe, expect, it } from '@jest/globals';
import { UrgentTriggerRepository } from '../../src/engine/ledger/urgent-trigger.repository.js';
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
  const keep = () => service.app.get(OrderingRepository, { strict: false }).processMarks();

  /** Changes a trigger's row as the end of an attempt does. */
  async function set(id: string, change: string): Promise<void> {
    const database = service.app.get(Database, { strict: false });
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

  it('goes with the mark of what was retried by hand, whoever looks for marks at that moment', async () => {
    const user = newUser();
    await createWebhook(service, { user_id: user, settings: { ordering: 'record' } });
    const id = await report(service, user, 'one', 1);
    await keep();
    const urgent = service.app.get(UrgentTriggerRepository, { strict: false });
    await retry(id);
    // Another process has found that it cannot be claimed.
    const found = await urgent.find(100);
    await keep();
    await urgent.forget(found.map((one) => one.id));
    expect(await urgent.find(100)).toContainEqual(expect.objectContaining({ id }));
  });

  it('is written by everybody who looks: a node of a cluster knows nothing of the locks of another', async () => {
    const user = newUser();
    await createWebhook(service, { user_id: user, settings: { ordering: 'record' } });
    const database = service.app.get(Database, { strict: false });
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
