import { jest } from '@jest/globals';
import { v7 } from 'uuid';
import { ReplayStep } from '../../../src/engine/replay/replay-step.js';
import { Jobs } from '../../../src/jobs/jobs.js';
import type { TestClock } from '../../../src/module/testing/test-clock.js';
import { Database } from '../../../src/store/database.js';
import type { Answer } from '../../support/call.js';
import { type Json, newUser } from '../../support/scene.js';
import type { TestService as WholeService } from '../../support/service.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';

type TestService = Pick<WholeService, 'call'>;
type InProcess = Pick<WholeService, 'call' | 'get' | 'query'>;

export const HOUR_MS = 3_600_000;
const LONG_AGO = '2020-01-01T00:00:00Z';
export const ATTEMPTS = 8;

export const iso = (time: number) => new Date(time).toISOString();

const PATH = '/v1/webhook/recover';

/** Begins a recovery from {@link LONG_AGO}, unless `more` says otherwise. */
export const recover = (service: TestService, id: string, more: object = {}): Promise<Answer> =>
  service.call('POST', PATH, { id, since: LONG_AGO, ...more });

/** What a dry run counts. */
const count = async (service: TestService, id: string, more: object = {}): Promise<number> =>
  (await recover(service, id, { ...more, dry_run: true })).body.triggers;

export const recovery = async (service: TestService, id: string): Promise<Json> =>
  (await service.call('GET', `${PATH}?id=${id}`)).body;

export const stop = (service: TestService, id: string): Promise<Answer> =>
  service.call('DELETE', `${PATH}?id=${id}`);

/** Resolves with a recovery once `holds` is true for it. */
export const recoveryWhen = (
  service: TestService,
  id: string,
  holds: (recovery: Json) => boolean,
): Promise<Json> =>
  until(
    async () => {
      const found = await recovery(service, id);
      return holds(found) && found;
    },
    { what: `recovery ${id}` },
  );

export const ended = (service: TestService, id: string) =>
  recoveryWhen(service, id, ({ state }) => state !== 'RUNNING');

/** Begins a recovery and resolves when it has ended. */
export async function recovered(service: TestService, id: string, more: object = {}): Promise<Json> {
  const { status, body, text } = await recover(service, id, { per_second: 1000, ...more });
  if (status !== 202) throw new Error(`Not recovered: ${text}`);
  return ended(service, body.id);
}

/** Carries recoveries on, as all jobs, in a process that sends nothing, so what it makes due stays `PENDING`. */
export const advance = (service: InProcess) => service.get(Jobs).start();

/** @returns a function that lets a second pass, and waits until the recovery that runs has taken a step. */
export function secondsOf(service: InProcess, clock: TestClock): () => Promise<void> {
  const steps = jest.spyOn(service.get(ReplayStep), 'take');
  const taken = () => Promise.all(steps.mock.results.map(({ value }) => value));
  return async () => {
    await taken();
    const before = steps.mock.calls.length;
    clock.advance(1000);
    await until(() => steps.mock.calls.length > before, { what: 'a step' });
    await taken();
  };
}

export const rowsOf = (service: InProcess, webhookId: string): Promise<Json[]> =>
  service.query('SELECT * FROM webhook_trigger WHERE webhook_id = ? ORDER BY id', [webhookId]);

const NOTIFICATION = ['id', 'user_id', 'event_kind', 'triggered_at', 'body'];
const TRIGGER = [
  ...['id', 'notification_id', 'webhook_id', 'event_id', 'event_kind', 'user_id', 'status'],
  ...['next_attempt_at', 'end_at', 'attempt_count', 'schedule_offset', 'lease'],
];

/** Stores finished triggers made at these times (ms), each with its notification. @returns their ids */
async function store(
  service: InProcess,
  of: Json,
  madeAt: number[],
  { status = 'FAILED', eventId = of.events[0].id as string | null } = {},
): Promise<string[]> {
  const kind = 'ANALYSIS_FINISHED';
  const notifications = madeAt.map((msecs) => [v7({ msecs }), of.user_id, kind, msecs, Buffer.from('{}')]);
  const triggers = madeAt.map((msecs, i) => [
    ...[v7({ msecs }), notifications[i]?.[0], of.id, eventId, kind, of.user_id, status],
    ...[0, msecs + 1, ATTEMPTS, 0, 3],
  ]);
  await service.get(Database).writeTogether([
    { table: 'webhook_notification', columns: NOTIFICATION, rows: notifications },
    { table: 'webhook_trigger', columns: TRIGGER, rows: triggers },
  ]);
  return triggers.map(([id]) => id as string);
}

/** The same by one service, and webhooks at whose address nobody listens. */
export const recoveriesBy = (service: InProcess) => ({
  webhook: (user_id = newUser()): Promise<Json> => createWebhook(service, { user_id }),
  recover: recover.bind(null, service),
  count: count.bind(null, service),
  recovery: recovery.bind(null, service),
  stop: stop.bind(null, service),
  recoveryWhen: recoveryWhen.bind(null, service),
  ended: ended.bind(null, service),
  recovered: recovered.bind(null, service),
  rowsOf: rowsOf.bind(null, service),
  store: store.bind(null, service),
});
