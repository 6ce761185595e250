import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import { AutoRecoverRepository } from '../../../src/engine/replay/auto-recover.repository.js';
import { TestClock } from '../../../src/module/testing/test-clock.js';
import type { TestDatabaseKind } from '../../support/databases.js';
import { useReceiver, useService, useTestClock } from '../../support/fixture.js';
import type { Receiver } from '../../support/receiver.js';
import {
  finished,
  type Json,
  newUser,
  notify,
  triggerWhen,
  underWay,
  untilOver,
} from '../../support/scene.js';
import type { TestService } from '../../support/service.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { HOUR_MS, recovery, rowsOf } from '../recovery/scene.js';

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

/** Webhooks with auto_recover, as a service and their receiver show them. */
export function probedAt(service: Pick<TestService, 'call'>, receiver: Receiver) {
  const get = async (path: string): Promise<Json> => (await service.call('GET', `/v1/webhook${path}`)).body;
  const scene = {
    /** A webhook with a path of its own at the receiver, which fails there. */
    async failing(settings: object = {}, user_id = newUser()): Promise<Json> {
      const path = `/probed-${++paths}`;
      receiver.respondWith(path, DOWN);
      const created = await createWebhook(service, {
        user_id,
        url: receiver.url + path,
        events: ['RECORD_FINISHED'],
        settings: { auto_recover: true, retry_schedule_seconds: SCHEDULE, ...settings },
      });
      return { ...created, path };
    },
    /** Reports a record. @returns the notification */
    report: async ({ user_id }: Json): Promise<Json> => (await notify(service, user_id)).body,
    webhookOf: ({ id }: Json) => get(`?id=${id}`),
    /** Oldest first. */
    triggersOf: async ({ id }: Json): Promise<Json[]> =>
      (await get(`/trigger/list?webhook_id=${id}&limit=100`)).data.reverse(),
    recoveriesOf: async ({ id }: Json): Promise<Json[]> => (await get(`/recover/list?webhook_id=${id}`)).data,
    /** The notifications that arrived, since the n-th request. */
    idsAt: ({ path }: Json, since = 0) =>
      receiver
        .at(path)
        .slice(since)
        .map(({ headers }) => String(headers['webhook-id'])),
    /** Reports records until the webhook is disabled. @returns the ids of the notifications, oldest first */
    async untilDisabled(
      webhook: Json,
      around = (attempt: () => Promise<void>) => attempt(),
    ): Promise<string[]> {
      const ids: string[] = [];
      const attempt = async () => {
        const { id, triggers } = await scene.report(webhook);
        ids.push(id);
        for (const one of triggers)
          await triggerWhen(service, one.id, (now) => now.attempt_count > 0 || now.status === 'CANCELLED');
      };
      const isDisabled = async () => {
        if ((await scene.webhookOf(webhook)).disabled_reason !== null) return true;
        await around(attempt);
        return false;
      };
      await until(isDisabled, { what: 'disabling' });
      return ids;
    },
  };
  return scene;
}

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
  const scene = probedAt(service, receiver);

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
    ...scene,
    clock,
    service,
    receiver,
    second,
    comes,
    patch: ({ id }: Json, change: object) => service.call('PATCH', '/v1/webhook', { id, ...change }),
    /** Delivers one, between failures. @returns its notification */
    async delivered(webhook: Json): Promise<Json> {
      clock.advance(10);
      receiver.respondWith(webhook.path, WELL);
      const reported = await untilOver(service, async () => {
        const made = await scene.report(webhook);
        await finished(service, made.triggers[0].id);
        return made;
      });
      clock.advance(10);
      receiver.respondWith(webhook.path, DOWN);
      return reported;
    },
    disabled(webhook: Json): Promise<string[]> {
      // An attempt that is held back. The retries, which become due as time passes, are waited for.
      const others = underWay(service);
      return scene.untilDisabled(webhook, async (attempt) => {
        await untilOver(service, attempt, others);
        clock.advance(QUARTER_MS);
      });
    },
    enabled: (webhook: Json): Promise<Json> =>
      comes(async () => {
        const found = await scene.webhookOf(webhook);
        return found.enabled && found;
      }, 'enabling'),
    /** Resolves once there was another request. */
    probed({ path }: Json) {
      const before = receiver.at(path).length;
      return comes(() => receiver.at(path).length > before);
    },
    /** Resolves once all these notifications have arrived since the n-th request. */
    arriving: (webhook: Json, ids: string[], since = 0) =>
      comes(() => ids.every((id) => scene.idsAt(webhook, since).includes(id)), 'everything'),
    /** Resolves with a recovery once it has ended. */
    ending: (id: string): Promise<Json> =>
      comes(async () => {
        const found = await recovery(service, id);
        return found.state !== 'RUNNING' && found;
      }, 'its end'),
    /** Expects that nothing is sent to these webhooks, whose probes would be due in seconds. */
    async staySilent(...webhooks: Json[]): Promise<void> {
      const count = () => webhooks.map(({ path }) => receiver.at(path).length);
      const before = count();
      for (let seconds = 0; seconds < 10; seconds++) await second();
      // What these looks have made due would be sent.
      const isOver = ({ status }: Json) => status !== 'PENDING' && status !== 'DELIVERING';
      for (const { id } of webhooks) await until(async () => (await rowsOf(service, id)).every(isOver));
      expect(count()).toEqual(before);
    },
  };
}
