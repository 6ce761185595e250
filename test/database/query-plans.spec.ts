import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DataSource, type Logger } from 'typeorm';
import { SubscriberRepository } from '../../src/engine/accept/subscribers.repository.js';
import { HealthRepository } from '../../src/engine/health/health.repository.js';
import { Instance } from '../../src/engine/instance/instance.js';
import { LeaseRecoveryRepository } from '../../src/engine/leases/lease-recovery.repository.js';
import { UnknownLeases } from '../../src/engine/leases/unknown-leases.js';
import { Jobs } from '../../src/jobs/jobs.js';
import { RetentionPass } from '../../src/retention/retention-pass.js';
import { Database } from '../../src/store/database.js';
import { DAY_MS, store } from '../retention/stored.js';
import { moveClock } from '../support/clock.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { attempted, finished, newUser, notify, notifyTimes, trigger } from '../support/scene.js';
import { createWebhook } from '../support/webhook.js';
import { recovered } from '../webhook/recovery/scene.js';

const STORED = 4000;
/** The tables that grow with what is delivered, and what stands for them in statements. */
const TABLES = 'webhook_trigger|webhook_notification|webhook_attempt|webhook_group_member|webhook_group_head';
const ABOUT = new RegExp(
  `^\\s*(SELECT|INSERT|UPDATE|DELETE).*(${TABLES}|WHERE.*disabled_event_pending)`,
  's',
);

describe.each(databases)('the service, among thousands of triggers on $name,', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '0' });
  const receiver = useReceiver('test');
  let dataSource: DataSource;
  let user: string;

  beforeAll(async () => {
    dataSource = service.get(DataSource);
    await store(service, Array(STORED).fill({ ageMs: DAY_MS, statuses: ['FAILED'] }));
    for (const [table, columns] of [
      ['member', 'trigger_id, ordering_key, position'],
      ['head', 'trigger_id, ordering_key'],
    ])
      await service.query(
        `INSERT INTO webhook_group_${table} (${columns})
         SELECT ${columns?.replace(/\w+/g, 'id')} FROM webhook_trigger`,
      );
    const tables = TABLES.replaceAll('|', ', ');
    await service.query(kind.name === 'SQLite' ? 'ANALYZE' : `ANALYZE TABLE ${tables}`);
  });
  beforeEach(() => {
    user = newUser();
  });

  /** The statements about these tables that the service runs meanwhile. */
  async function asked(work: () => Promise<unknown>): Promise<Map<string, unknown[]>> {
    const { logger } = dataSource;
    const statements = new Map<string, unknown[]>();
    const logQuery = (sql: string, parameters: unknown[] = []) => {
      if (ABOUT.test(sql)) statements.set(sql, parameters);
    };
    dataSource.logger = { logQuery, logQueryError() {}, logQuerySlow() {} } as unknown as Logger;
    await work();
    dataSource.logger = logger;
    return statements;
  }

  /** The plan's steps that read a whole table, or a whole index of it. */
  async function scansOf(sql: string, parameters: unknown[] = []): Promise<unknown[]> {
    if (kind.name === 'SQLite') {
      const steps = await service.query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, parameters);
      return steps.filter(({ detail }) => new RegExp(`^SCAN ([athm]|${TABLES}|\\w+Entity)\\b`).test(detail));
    }
    const steps = await service.query<{ table: string; type: string; rows: string }>(
      `EXPLAIN ${sql}`,
      parameters,
    );
    // What a subquery has found is read whole.
    const stored = steps.filter(({ table }) => !/^<derived/.test(table));
    return stored.filter(({ type, rows }) => /^(ALL|index)$/.test(type) && Number(rows) > STORED / 4);
  }

  const subscribe = (more = {}) => createWebhook(service, { user_id: user, url: receiver.url, ...more });
  /** Reports whose first attempt is under way, and whose other ones wait. */
  async function waiting(more = {}) {
    const webhook = await subscribe({ settings: { concurrency: 1, ...more } });
    const release = receiver.hold();
    const answers = await notifyTimes(4, service, user);
    await receiver.waitFor(1);
    return { webhook, release, ids: answers.map(({ body }) => body.triggers[0].id as string) };
  }
  async function failed(settings = {}): Promise<{ webhookId: string; id: string }> {
    const { id: webhookId } = await subscribe({ settings });
    receiver.respondWith([{ status: 500 }, { status: 500 }, {}]);
    const id = await trigger(service, user);
    expect(await finished(service, id)).toMatchObject({ status: 'FAILED' });
    return { webhookId, id };
  }

  const recovers = (missed: boolean) => async () => {
    const { webhookId: id } = await failed();
    await service.call('PATCH', '/v1/webhook', { id, enabled: false });
    await notify(service, user);
    await service.call('PATCH', '/v1/webhook', { id, enabled: true });
    await recovered(service, id, { missed });
  };

  it.each<[what: string, work: () => Promise<unknown>]>([
    ['delivers, and delivers again', () => failed()],
    [
      'answers how a webhook is',
      async () => {
        const { webhookId } = await failed();
        await service.call('GET', `/v1/webhook?id=${webhookId}`);
      },
    ],
    [
      'sends those of a record in order, and the last one alone if they are coalesced',
      async () => {
        const { release, ids } = await waiting({ ordering: 'record', coalesce: true });
        release();
        for (const id of ids) await finished(service, id);
      },
    ],
    [
      'sends one of a record once more, which was before another that waits',
      async () => {
        const { webhookId, id: first } = await failed({ ordering: 'record' });
        const settings = { ordering: 'record', retry_schedule_seconds: [600] };
        await service.call('PATCH', '/v1/webhook', { id: webhookId, settings });
        receiver.respondWith([{ status: 500 }, {}]);
        const second = await trigger(service, user);
        await attempted(service, second);
        await service.call('POST', '/v1/webhook/trigger/retry', { id: first });
        await finished(service, first);
      },
    ],
    [
      'cancels those of an event, of a webhook that is switched off, and of one that is deleted',
      async () => {
        const { webhook, release } = await waiting();
        const [{ id }] = webhook.events;
        await service.call('PATCH', '/v1/webhook/event', { id, enabled: false });
        await service.call('PATCH', '/v1/webhook', { id: webhook.id, enabled: false });
        await service.call('DELETE', `/v1/webhook?id=${webhook.id}`);
        release();
      },
    ],
    [
      'retries one or many by hand',
      async () => {
        const { id } = await failed();
        await service.call('POST', '/v1/webhook/trigger/retry', { id });
        await finished(service, id);
        await service.call('POST', '/v1/webhook/trigger/retry', { ids: [id] });
        await finished(service, id);
      },
    ],
    ['recovers what could not be delivered', recovers(false)],
    ['recovers also what a webhook was never sent', recovers(true)],
    [
      'erases a record',
      async () => {
        const { release } = await waiting();
        await service.call('DELETE', `/v1/notification?user_id=${user}&record_id=rec_1`);
        release();
      },
    ],
    [
      'releases those of a dead instance, and those of its own that it does not know',
      async () => {
        const { id } = await failed();
        const lease = (by: string) =>
          service.query(`UPDATE webhook_trigger SET status = 'DELIVERING', leased_by = ? WHERE id = ?`, [
            by,
            id,
          ]);
        // The process looks for such leases by itself.
        await service.get(Jobs).quiet();
        await lease('dead');
        expect(await service.get(LeaseRecoveryRepository).recoverSome(Date.now())).toBe(1);
        await finished(service, id);
        await lease(service.get(Instance).id);
        for (let look = 0; look < 2; look++) await service.get(UnknownLeases).requeue();
        await finished(service, id);
      },
    ],
    [
      'tells of the webhooks that it has disabled',
      () => service.get(HealthRepository).pendingDisabledEvents(),
    ],
    [
      'removes what is past its retention',
      async () => {
        // It looks for what has lost its notification every hour.
        moveClock(DAY_MS / 24);
        await store(service, Array(20).fill({ ageMs: 100 * DAY_MS, statuses: ['FAILED'] }));
        await store(service, Array(20).fill({ ageMs: 40 * DAY_MS, statuses: ['FAILED'] }));
        const steps = service.get(RetentionPass).steps();
        while (!(await steps.next()).done);
      },
    ],
  ])('reads no whole table when it %s', async (_what, work) => {
    const statements = await asked(work);
    expect(statements.size).toBeGreaterThan(0);
    for (const [sql, parameters] of statements)
      expect([sql, await scansOf(sql, parameters)]).toEqual([sql, []]);
  });

  // SQLite makes no temporary table that outlives a statement, and none on a disk unless it is large.
  const onMariadb = kind.name === 'MariaDB' ? it : it.skip;
  onMariadb(
    'makes no table on the disk to find subscribers, whatever their texts, and those skipped',
    async () => {
      for (const kinds of [['RECORD_FINISHED'], ['ANALYSIS_FINISHED'], ['RECORD_FINISHED']])
        await subscribe({ events: kinds, settings: { ordering: 'record' } });
      const asked = { userId: user, eventKind: 'RECORD_FINISHED' };
      await service.get(Database).transaction(async (manager) => {
        const onDisk = () => manager.query(`SHOW SESSION STATUS LIKE 'Created_tmp_disk_tables'`);
        const before = await onDisk();
        const { subscriptions, skipped } = (await service.get(SubscriberRepository).of([asked], manager))(
          asked,
        );
        expect(subscriptions).toHaveLength(2);
        expect(skipped).not.toBe('');
        expect(await onDisk()).toEqual(before);
      });
    },
  );

  it('would fail these tests if it read a whole table', async () => {
    expect(await scansOf('SELECT id FROM webhook_trigger WHERE attempt_count = 7')).toHaveLength(1);
  });
});
