import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import { AutoRecoverRepository } from '../../../src/engine/replay/auto-recover.repository.js';
import { TestClock } from '../../../src/module/testing/test-clock.js';
import type { TestDatabaseKind } from '../../support/databases.js';
import { useReceiver, useService, useTestClock } from '../../support/fixture.js';
import type { Receiver } from '../../support/receiver.js';
import { finished, notify, triggerWhen } from '../../support/scene.js';
import type { TestService as WholeService } from '../../support/service.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { HOUR_MS, recovery, rowsOf } from '../recovery/scene.js';

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
export type Json = any;
type TestService = Pick<WholeService, 'call'>;

/** A webhook is disabled by failures for a third of a second. */
export const SOON = { FAILING_DISABLE_HOURS: '0.0001' };
/** It has to fail in each quarter of that time. */
const QUARTER_MS = 80;
/** What is tried twice; the first pause is also that of the probes. */
const SCHEDULE = [0.2];
/** A failure after which nothing is paused, because the receiver is reachable. */
export const DOWN = { status: 400 };
export const WELL = { status: 200 };

let paths = 0;

/** A webhook with a path of its own at the receiver, which fails there. */
export async function failing(
  service: TestService,
  receiver: Receiver,
  userId: string,
  settings: object = {},
  more: object = {},
): Promise<Json> {
  const path = `/probed-${++paths}`;
  receiver.respondWith(path, DOWN);
  const all = { auto_recover: true, retry_schedule_seconds: SCHEDULE, ...settings };
  const body = {
    user_id: userId,
    url: receiver.url + path,
    events: ['RECORD_FINISHED'],
    settings: all,
    ...more,
  };
  return { ...(await createWebhook(service, body)), path };
}

export const webhookOf = async (service: TestService, { id }: Json): Promise<Json> =>
  (await service.call('GET', `/v1/webhook?id=${id}`)).body;

/**
 * Reports records until the service disables the webhook.
 *
 * @param between lets time pass after each.
 * @returns the ids of the notifications, oldest first.
 */
export async function untilDisabled(
  service: TestService,
  webhook: Json,
  between = () => {},
): Promise<string[]> {
  const ids: string[] = [];
  await until(
    async () => {
      const { disabled_reason } = await webhookOf(service, webhook);
      if (disabled_reason !== null) return true;
      const { body } = await notify(service, webhook.user_id);
      ids.push(body.id);
      for (const { id } of body.triggers)
        await triggerWhen(service, id, (one) => one.attempt_count > 0 || one.status === 'CANCELLED');
      between();
      return false;
    },
    { what: 'disabling' },
  );
  return ids;
}

export const untilEnabled = (service: TestService, webhook: Json) =>
  until(
    async () => {
      const found = await webhookOf(service, webhook);
      return found.enabled && found;
    },
    { what: 'enabling' },
  );

export const triggersOf = async (service: TestService, { id }: Json): Promise<Json[]> =>
  (await service.call('GET', `/v1/webhook/trigger/list?webhook_id=${id}&limit=100`)).body.data.reverse();

export const recoveriesOf = async (service: TestService, { id }: Json): Promise<Json[]> =>
  (await service.call('GET', `/v1/webhook/recover/list?webhook_id=${id}`)).body.data;

export const requestsAt = (receiver: Receiver, { path }: Json) =>
  receiver.requests.filter((request) => request.path === path);

export const idsAt = (receiver: Receiver, webhook: Json): string[] =>
  requestsAt(receiver, webhook).map(({ headers }) => headers['webhook-id'] as string);

/** Resolves once all these notifications have arrived since the n-th request. */
export const arrived = (receiver: Receiver, webhook: Json, ids: string[], since = 0) =>
  until(() => ids.every((id) => idsAt(receiver, webhook).slice(since).includes(id)), {
    what: 'everything',
  });

/** A service on a clock that stands still, which a test moves, and a receiver. */
export function useProbing(kind: TestDatabaseKind) {
  // Ids go by the machine's clock: whatever is made lies before what begins.
  const clock = useTestClock(new TestClock(Date.now() + HOUR_MS));
  let looks: jest.Spied<AutoRecoverRepository['nextAfter']>;
  beforeAll(() => {
    // The end of a look.
    looks = jest.spyOn(AutoRecoverRepository.prototype, 'nextAfter');
  });
  afterAll(() => {
    looks.mockRestore();
  });
  const service = useService(kind, SOON);
  const receiver = useReceiver();

  /** Lets a second pass, and waits until the service has looked what to probe. */
  async function second(): Promise<void> {
    const before = looks.mock.calls.length;
    clock.advance(1000);
    await until(() => looks.mock.calls.length > before, { what: 'a look' });
    await looks.mock.results.at(-1)?.value;
    await setImmediate();
  }

  /** Lets time pass until this is so. */
  const comes = <T>(look: () => Promise<T> | T, what?: string) =>
    until(
      async () => {
        await second();
        return look();
      },
      { ...(what && { what }) },
    );

  return {
    clock,
    service,
    receiver,
    second,
    comes,
    /** Delivers one, between failures. @returns its notification */
    delivered: async (webhook: Json): Promise<Json> => {
      clock.advance(10);
      receiver.respondWith(webhook.path, WELL);
      const { body } = await notify(service, webhook.user_id);
      await finished(service, body.triggers[0].id);
      clock.advance(10);
      receiver.respondWith(webhook.path, DOWN);
      return body;
    },
    disabled: (webhook: Json) => untilDisabled(service, webhook, () => clock.advance(QUARTER_MS)),
    enabled: (webhook: Json) =>
      comes(async () => {
        const found = await webhookOf(service, webhook);
        return found.enabled && found;
      }, 'enabling'),
    /** Resolves once there were so many more requests. */
    requests: (webhook: Json, count: number) => {
      const before = requestsAt(receiver, webhook).length;
      return comes(() => requestsAt(receiver, webhook).length >= before + count);
    },
    /** Resolves once all these notifications have arrived since the n-th request. */
    arriving: (webhook: Json, ids: string[], since = 0) =>
      comes(() => ids.every((id) => idsAt(receiver, webhook).slice(since).includes(id)), 'everything'),
    /** Resolves with a recovery once it has ended. */
    ending: (id: string) =>
      comes(async () => {
        const found = await recovery(service, id);
        return found.state !== 'RUNNING' && found;
      }, 'its end'),
    /** Expects that nothing is sent to these webhooks, whose probes would be due in seconds. */
    staySilent: async (...webhooks: Json[]): Promise<void> => {
      const before = webhooks.map((one) => requestsAt(receiver, one).length);
      for (let seconds = 0; seconds < 10; seconds++) await second();
      // What these looks have made due would be sent.
      const isOver = ({ status }: Json) => status !== 'PENDING' && status !== 'DELIVERING';
      for (const { id } of webhooks) await until(async () => (await rowsOf(service, id)).every(isOver));
      expect(webhooks.map((one) => requestsAt(receiver, one).length)).toEqual(before);
    },
  };
}
