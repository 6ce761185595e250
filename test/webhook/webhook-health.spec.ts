import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EventEmitter2 } from '@nestjs/event-emitter';
import { type DisabledWebhook, HealthRepository } from '../../src/engine/health/health.repository.js';
import { CancellationRepository } from '../../src/engine/ledger/cancel/cancellation.repository.js';
import { QueueSignals } from '../../src/engine/ledger/queue-signals.js';
import type { WebhookDisabled } from '../../src/engine/report/on-webhook-event.js';
import { WebhookFailures } from '../../src/engine/settle/health/webhook-failures.repository.js';
import { moveClock, standStill } from '../support/clock.js';
import { databases } from '../support/databases.js';
import { useDatabase, useReceiver, useService } from '../support/fixture.js';
import {
  attempted,
  finished,
  type Json,
  newUser,
  trigger,
  triggerWhen,
  untilOver,
} from '../support/scene.js';
import type { TestService } from '../support/service.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

/** A quarter of the five days. */
const QUARTER_MS = 30 * 3_600_000;
/** A failure that does not pause deliveries, because the receiver is reachable. */
const REFUSAL = { status: 400 };

describe.each(databases)('the health of a webhook on $name', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '3600' });
  const receiver = useReceiver('test');
  let user: string;
  let id: string;
  let disabled: WebhookDisabled[];

  beforeAll(() => {
    service.get(EventEmitter2).on('webhook.disabled', (event) => disabled.push(event));
  });
  beforeEach(async () => {
    disabled = [];
    user = newUser();
    ({ id } = await createWebhook(service, { user_id: user, url: `${receiver.url}/old` }));
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    // Otherwise waiting triggers become due in the next test.
    await service.call('DELETE', `/v1/webhook?id=${id}`);
  });

  const patch = (change: object) => service.call('PATCH', '/v1/webhook', { id, ...change });
  const webhook = async () => (await service.call('GET', `/v1/webhook?id=${id}`)).body;

  /** Makes one more attempt. @returns its trigger, with the result. */
  function attempt(responder: { status: number }) {
    receiver.respondWith(responder);
    return untilOver(service, async () => attempted(service, await trigger(service, user)));
  }

  /** Begins an attempt, which is answered with this status when the returned function is called. */
  async function held(status: number): Promise<() => Promise<unknown>> {
    const release = receiver.hold({ status });
    const before = receiver.requests.length;
    const over = untilOver(service, async () => attempted(service, await trigger(service, user)));
    await receiver.waitFor(before + 1);
    return () => {
      release();
      return over;
    };
  }

  /** Fails at these times, in quarters since the first failure; a whole number is the start of a quarter. */
  async function failIn(...quarters: number[]) {
    let now = quarters[0] as number;
    for (const quarter of quarters) {
      moveClock((quarter - now) * QUARTER_MS);
      now = quarter;
      await attempt(REFUSAL);
    }
  }

  /** Waits until a later attempt has updated the health, so that nothing can still disable the webhook. */
  async function staysEnabled() {
    await attempt({ status: 200 });
    expect(await webhook()).toMatchObject({ enabled: true, disabled_reason: null });
    expect(disabled).toEqual([]);
  }

  describe('when it answers 410', () => {
    it.each<[string, () => Promise<unknown>]>([
      ['of its old URL', () => patch({ url: `${receiver.url}/new` })],
      [
        'of an attempt that began before it was switched off and on',
        () => patch({ enabled: false }).then(() => patch({ enabled: true })),
      ],
      ['of an attempt that began before a success', () => attempt({ status: 200 })],
    ])('is not affected by a 410 %s', async (_what, meanwhile) => {
      const answer = await held(410);
      await meanwhile();
      expect(await answer()).toMatchObject({ response_data: { status: 410 } });
      await staysEnabled();
    });

    it('is disabled completely or not at all', async () => {
      const waiting = await trigger(service, user);
      await finished(service, waiting);
      receiver.respondWith(REFUSAL);
      const pending = await trigger(service, user);
      const isWaiting = ({ attempt_count, status }: Json) => attempt_count === 1 && status === 'PENDING';
      await triggerWhen(service, pending, isWaiting);
      const cancellations = service.get(CancellationRepository);
      const real = cancellations.cancelFirst.bind(cancellations);
      const again = Promise.withResolvers<void>();
      const changed: string[] = [];
      service.get(QueueSignals).subscribe({ webhookChanged: (webhookId) => changed.push(webhookId) });
      const cancel = jest
        .spyOn(cancellations, 'cancelFirst')
        .mockRejectedValueOnce(new Error('the database is in no mood'))
        .mockImplementationOnce((...of) => again.promise.then(() => real(...of)));
      await attempt({ status: 410 });
      await until(() => cancel.mock.calls.length === 2);
      expect(await webhook()).toMatchObject({ enabled: true, disabled_reason: null });
      expect(disabled).toEqual([]);
      expect(changed).toEqual([]);
      again.resolve();
      await until(() => disabled.length > 0);
      expect(changed).toEqual([id]);
      expect(disabled).toEqual([{ webhook_id: id, user_id: user, reason: 'gone' }]);
      expect(await webhook()).toMatchObject({ enabled: false, disabled_reason: 'gone' });
      expect(await finished(service, pending)).toMatchObject({ status: 'CANCELLED' });
    });
  });

  describe('when it fails', () => {
    it('is not disabled for failures that another process has seen the end of', async () => {
      await service.query('UPDATE webhook SET failing_since = 5 WHERE id = ?', [id]);
      const disable = (since: number) => {
        const seen = { webhookId: id, generation: 0, failing: { since, quarters: 4, oldest: null } };
        const facts = { notice: null, failedId: null, now: Date.now() };
        return service.get(WebhookFailures).disable(seen, 'failing', facts);
      };
      expect(await disable(4)).toBe(false);
      expect(await disable(5)).toBe(true);
    });

    it('is disabled after five days with a failure in each quarter', async () => {
      await failIn(0, 1.1, 2.2, 3.3, 3.9);
      expect(await webhook()).toMatchObject({ enabled: true });
      expect(disabled).toEqual([]);
      await failIn(3.9, 4.01);
      await until(() => disabled.length > 0);
      expect(disabled).toEqual([{ webhook_id: id, user_id: user, reason: 'failing' }]);
      expect(await webhook()).toMatchObject({ enabled: false, disabled_reason: 'failing' });
    });

    it.each<[string, () => Promise<unknown>]>([
      ['after a success', () => attempt({ status: 200 })],
      ['with a new URL', () => patch({ url: `${receiver.url}/new` })],
    ])('starts over %s', async (_what, step) => {
      await failIn(0, 1.1, 2.2, 3.3);
      await step();
      await failIn(3.3, 4.01);
      await staysEnabled();
    });

    it('keeps counting when the URL is set to the same value', async () => {
      await failIn(0, 1.1, 2.2, 3.3);
      await patch({ url: `${receiver.url}/old`, name: 'new' });
      await failIn(3.3, 4.01);
      await until(() => disabled.length > 0);
    });

    it('is not disabled by the failure of an attempt that began before a success', async () => {
      await failIn(0, 1.1, 2.2, 3.3);
      moveClock(QUARTER_MS);
      const answer = await held(400);
      await attempt({ status: 200 });
      await answer();
      await staysEnabled();
    });

    it('is disabled also if a slow success, begun before it was known to fail, has ended after its first failure', async () => {
      const answer = await held(200);
      // Until then its row is not read again.
      standStill(1000);
      await attempt(REFUSAL);
      await answer();
      await failIn(0, 1.1, 2.2, 3.3, 4.01);
      await until(() => disabled.length > 0);
    });
  });
});

describe.each(databases)('a process that dies before it announces a disabled webhook, on $name', (kind) => {
  const database = useDatabase(kind);

  /** Makes a webhook that was disabled right before. */
  async function disabledOf(service: TestService, user_id = newUser()): Promise<string> {
    const { id } = await createWebhook(service, { user_id });
    const sql = `UPDATE webhook SET enabled = 0, disabled_reason = 'gone', disabled_event_pending_since = ? WHERE id = ?`;
    await service.query(sql, [Date.now(), id]);
    return id;
  }

  it('has it announced once by those who look at the same moment, and again if that was cut off', async () => {
    const service = await database.start({ ROLE: 'api' });
    await disabledOf(service);
    const repository = service.get(HealthRepository);
    const [webhook] = (await repository.pendingDisabledEvents()) as [DisabledWebhook];
    const tell = jest.fn();
    const cutOff = () => {
      throw new Error('died');
    };
    await expect(repository.tellOnce(webhook, cutOff)).rejects.toThrow('died');
    await Promise.all([1, 2, 3].map(() => repository.tellOnce(webhook, tell)));
    expect(tell).toHaveBeenCalledTimes(1);
    expect(await repository.pendingDisabledEvents()).toEqual([]);
  });

  it('leaves the announcement to the next process', async () => {
    const first = await database.start({ ROLE: 'api' });
    const user_id = newUser();
    const webhook_id = await disabledOf(first, user_id);
    await first.stop();
    const second = await database.start();
    const told: WebhookDisabled[] = [];
    second.get(EventEmitter2).on('webhook.disabled', (event) => told.push(event));
    await until(() => told.length > 0);
    expect(told).toEqual([{ webhook_id, user_id, reason: 'gone' }]);
    const repository = second.get(HealthRepository);
    await until(async () => (await repository.pendingDisabledEvents()).length === 0);
  });
});

describe.each(databases.slice(0, 1))('where webhooks may fail for ever, on $name', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '3600', FAILING_DISABLE_HOURS: '0' });
  const receiver = useReceiver();

  it('none is disabled for it', async () => {
    const user_id = newUser();
    receiver.respondWith(REFUSAL);
    const { id } = await createWebhook(service, { user_id, url: receiver.url });
    for (let quarter = 0; quarter < 6; quarter++) {
      await attempted(service, await trigger(service, user_id));
      moveClock(QUARTER_MS);
    }
    expect((await service.call('GET', `/v1/webhook?id=${id}`)).body.enabled).toBe(true);
  });
});
