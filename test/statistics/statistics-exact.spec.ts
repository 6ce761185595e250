import { describe, expect, it } from '@jest/globals';
import { DueRepository } from '../../src/engine/dispatch/due.repository.js';
import type { LeasedTrigger } from '../../src/engine/queue/leased-trigger.js';
import { QueueRepository } from '../../src/engine/queue/queue.repository.js';
import type { AttemptResult } from '../../src/engine/settle/attempt-result.js';
import { RequeueRepository } from '../../src/engine/settle/requeue.repository.js';
import { SettlementRepository } from '../../src/engine/settle/settlement.repository.js';
import { StatisticsService } from '../../src/index.js';
import { newId } from '../../src/platform/ids/ids.js';
import { attemptResult } from '../support/attempt-result.js';
import { claimDue, storeDue } from '../support/claims.js';
import { countedOneByOne } from '../support/counted.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService, useSharing } from '../support/fixture.js';
import { refuse } from '../support/refuse.js';
import { newUser, notify } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

const NOTIFICATIONS = 60;
const OUTCOMES = [200, 204, 404, 500, 503, 302];

describe.each(databases)('the sums of a run on $name', (kind) => {
  const services = useSharing(kind, { RETRY_SCHEDULE_SECONDS: '0.1,0.1' });
  const receiver = useReceiver();

  it('equal the attempts that are stored, in all steps and at any moment', async () => {
    const [service] = services;
    const user = newUser();
    let seen = 0;
    receiver.respondWith(() =>
      seen++ % 11 === 0 ? 'close' : { status: OUTCOMES[seen % OUTCOMES.length] as number },
    );
    const webhooks = await Promise.all(
      ['/a', '/b', '/c'].map((path) => createWebhook(service, { user_id: user, url: receiver.url + path })),
    );
    const kinds = ['RECORD_FINISHED', 'STATUS_CHANGED'];
    await Promise.all(
      Array.from({ length: NOTIFICATIONS }, (_, index) =>
        notify(services[index % services.length] as typeof service, user, { event_kind: kinds[index % 2] }),
      ),
    );
    await until(async () => {
      const [{ count }] = await service.query(
        `SELECT COUNT(*) AS count FROM webhook_trigger WHERE status IN ('PENDING', 'DELIVERING')`,
      );
      return Number(count) === 0;
    });
    const expectEqual = async (more: string, where?: string) => {
      const { counts, durations } = await countedOneByOne(service.query, where);
      const { total } = (await service.call('GET', `/v1/webhook/stats?user_id=${user}&${more}`)).body;
      expect(total).toMatchObject(counts as never);
      for (const [name, share] of [
        ['p50_ms', 0.5],
        ['p95_ms', 0.95],
        ['p99_ms', 0.99],
      ] as const) {
        const exact = durations[Math.ceil(share * durations.length) - 1] as number;
        expect(Math.abs(total[name] - exact)).toBeLessThanOrEqual(0.05 * exact);
      }
    };
    const since = new Date(Date.now() - 1000 * 60_000).toISOString();
    for (const step of [`step=minute&since=${since}`, 'step=hour', 'step=day']) {
      await expectEqual(step);
      for (const name of kinds) await expectEqual(`${step}&event_kind=${name}`, `t.event_kind = '${name}'`);
      for (const { id } of webhooks) await expectEqual(`${step}&id=${id}`, `t.webhook_id = '${id}'`);
    }
    const { counts } = await countedOneByOne(service.query);
    expect(counts.attempts).toBeGreaterThan(4 * NOTIFICATIONS);
    expect(counts.exhausted).toBeGreaterThan(NOTIFICATIONS / 2);
  });
});

describe.each(databases)('counting on $name', (kind) => {
  // Only the tests claim, settle and add up.
  const service = useService(kind, { ROLE: 'api' });
  let user: string;
  let endAt: number;

  const total = async () => (await service.get(StatisticsService).find(null, { userId: user })).total;
  const settle = (...results: AttemptResult[]) => service.get(SettlementRepository).settle(results);

  async function leased(count: number): Promise<LeasedTrigger[]> {
    user = newUser();
    endAt = Date.now();
    await service.query('DELETE FROM webhook_trigger');
    await storeDue(service, newId(), count, { userId: user, triggeredAt: endAt });
    const from = { due: service.get(DueRepository), queue: service.get(QueueRepository) };
    return claimDue(from, newId(), endAt, count);
  }
  const resultOf = (trigger: LeasedTrigger, more: Partial<AttemptResult> = {}): AttemptResult =>
    attemptResult(trigger, {
      ...{ userId: user, beginAt: endAt - 5, endAt, response: '{"status":200}' },
      exhausted: more.status === 'FAILED',
      ...more,
    });

  it('leaves out results whose lease was lost, alone and among others', async () => {
    const [held, lost, alone] = (await leased(3)) as [LeasedTrigger, LeasedTrigger, LeasedTrigger];
    for (const one of [lost, alone]) await service.get(RequeueRepository).requeue([{ ...one, dueAt: endAt }]);
    await settle(resultOf(alone, { status: 'FAILED' }));
    expect(await total()).toMatchObject({ attempts: 0, exhausted: 0 });
    const failed = { status: 'FAILED', outcome: '500', errorCode: 'http_status' } as const;
    await settle(resultOf(lost), resultOf(held, failed), resultOf(alone));
    expect(await total()).toMatchObject({ attempts: 1, exhausted: 1, byCode: { 500: 1 } });
  });

  it('counts a batch once if its commit was answered by nothing and it is stored again', async () => {
    const batch = (await leased(5)).map((trigger) => resultOf(trigger));
    await settle(...batch);
    await settle(...batch);
    await settle(...batch.slice(2), ...batch.slice(0, 2));
    expect(await total()).toMatchObject({ attempts: 5, succeeded: 5 });
  });

  it('stores neither the results nor their counts if one of the two is refused', async () => {
    const [one] = (await leased(1)) as [LeasedTrigger];
    const accept = await refuse(service, kind, ['INSERT', 'webhook_statistic_delta']);
    await expect(settle(resultOf(one))).rejects.toThrow();
    await accept();
    expect(await service.query('SELECT 1 FROM webhook_attempt WHERE trigger_id = ?', [one.id])).toEqual([]);
    expect(await total()).toMatchObject({ attempts: 0 });
    await settle(resultOf(one));
    expect(await total()).toMatchObject({ attempts: 1 });
  });
});
