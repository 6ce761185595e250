import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Database } from '../../../src/store/database.js';
import { databases } from '../../support/databases.js';
import { useService } from '../../support/fixture.js';
import { refuse } from '../../support/refuse.js';
import { type Json, newUser } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';
import { HOUR_MS, recoveriesBy } from './scene.js';
import { listed, SlowTime } from './slow-process.js';

const SECONDS = 3;
const SENT_EVERY_MS = 250;

/** A webhook, and the pace of its recovery. */
interface Recovering {
  id: string;
  perSecond: number;
}

describe.each(databases)('many recoveries at once on $name', (kind) => {
  // It sends nothing.
  const service = useService(kind, { ROLE: 'api' }, 'test');
  const { recover, store } = recoveriesBy(service);
  const query = (sql: string, parameters?: unknown[]): Promise<Json[]> =>
    service.get(Database).query(sql, parameters);
  let time: SlowTime;
  let stops: (() => Promise<void>)[];

  beforeEach(() => {
    time = new SlowTime();
    stops = [];
  });
  afterEach(async () => {
    const stopped = Promise.all(stops.map((stop) => stop()));
    await time.pass(500);
    await stopped;
  });

  /** Begins recoveries of webhooks whose receiver was down, with triggers of them all mixed. */
  async function begun(...paces: number[]): Promise<Recovering[]> {
    const at = Date.now() - HOUR_MS;
    const user = newUser();
    const webhooks: Recovering[] = [];
    for (const perSecond of paces) {
      const mine = await createWebhook(service, { user_id: user });
      const made = Array.from({ length: 2 * SECONDS * perSecond }, (_, i) => at + i);
      await store(mine, made);
      webhooks.push({ id: mine.id, perSecond });
    }
    for (const { id, perSecond } of webhooks)
      expect(await recover(id, { per_second: perSecond })).toMatchObject({ status: 202 });
    return webhooks;
  }

  async function start(): Promise<string> {
    const { id, jobs } = await listed(time, service.get(Database));
    jobs.start();
    stops.push(() => jobs.stop());
    return id;
  }

  /** Lets time pass; what is due is delivered. */
  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += SENT_EVERY_MS) {
      await time.pass(SENT_EVERY_MS);
      const due = await query(
        `SELECT id FROM webhook_trigger WHERE status = 'PENDING' AND next_attempt_at <= ?`,
        [time.clock.now()],
      );
      if (due.length === 0) continue;
      const ids = service.get(Database).sql.idList(due.map(({ id }) => id));
      // By their keys: a step may have locked others.
      await query(
        `UPDATE webhook_trigger SET status = 'SUCCEEDED', next_attempt_at = 0, attempt_count = attempt_count + 1
         WHERE id IN ${ids.sql}`,
        [ids.parameter],
      );
    }
  }

  async function delivered(): Promise<Map<string, number>> {
    const rows = await query(
      `SELECT webhook_id, COUNT(*) AS count FROM webhook_trigger WHERE status = 'SUCCEEDED' GROUP BY webhook_id`,
    );
    return new Map(rows.map(({ webhook_id, count }) => [webhook_id, Number(count)]));
  }

  /** @param late seconds that may be missing */
  async function expectPace(webhooks: Recovering[], late = 0.5): Promise<void> {
    const counts = await delivered();
    const seconds = webhooks.map(({ id, perSecond }) => (counts.get(id) ?? 0) / perSecond);
    expect(Math.min(...seconds)).toBeGreaterThanOrEqual(SECONDS - late);
    expect(Math.max(...seconds)).toBeLessThanOrEqual(SECONDS + 0.5);
  }

  const carriedBy = async (id: string): Promise<number> =>
    Number((await query('SELECT COUNT(*) AS count FROM webhook_recovery WHERE held_by = ?', [id]))[0].count);

  it('each keep their own pace, though the database takes its time for each answer', async () => {
    const webhooks = await begun(...Array(8).fill([4, 10, 20]).flat());
    await start();
    await pass(SECONDS * 1000);
    await expectPace(webhooks);
  });

  it('are not slowed by one whose steps fail, which goes on when they succeed again', async () => {
    const [broken, ...others] = (await begun(10, 10, 10, 10)) as [Recovering, ...Recovering[]];
    const when = `NEW.position <> OLD.position AND NEW.webhook_id = '${broken.id}'`;
    const accept = await refuse(service, kind, ['UPDATE', 'webhook_recovery'], { when });
    await start();
    await pass(SECONDS * 1000);
    await expectPace(others);
    expect((await delivered()).get(broken.id)).toBeUndefined();
    await accept();
    await pass(5000);
    expect((await delivered()).get(broken.id)).toBeGreaterThan(broken.perSecond);
  });

  if (kind.name === 'SQLite') return;

  it('are shared by the processes that carry them on, and taken over from one that dies', async () => {
    const first = await start();
    const second = await start();
    // One after another, as webhooks come back.
    const webhooks: Recovering[] = [];
    for (let made = 0; made < 10; made++) {
      webhooks.push(...(await begun(10)));
      await pass(SENT_EVERY_MS);
    }
    await pass(1000);
    expect([await carriedBy(first), await carriedBy(second)]).toEqual([5, 5]);
    const before = await delivered();
    await pass(2000);
    const after = await delivered();
    const each = webhooks.map(({ id }) => (after.get(id) ?? 0) - (before.get(id) ?? 0));
    expect(Math.min(...each)).toBeGreaterThanOrEqual(15);
    // It is frozen, and the others have found that.
    await query('DELETE FROM webhook_instance WHERE id = ?', [first]);
    await pass(3000);
    expect(await carriedBy(second)).toBe(10);
  });

  it('are carried on by one process if no other takes its share', async () => {
    await listed(time, service.get(Database));
    const first = await start();
    const webhooks = await begun(...Array(10).fill(10));
    await pass(SECONDS * 1000);
    expect(await carriedBy(first)).toBe(10);
    await expectPace(webhooks, 2.5);
  });

  it('are taken once by processes that look at the same moment', async () => {
    const webhooks = await begun(...Array(20).fill(10));
    const each = [await start(), await start()];
    await time.pass(100);
    expect(await Promise.all(each.map(carriedBy))).toEqual([10, 10]);
    await pass(SECONDS * 1000);
    await expectPace(webhooks);
  });
});
