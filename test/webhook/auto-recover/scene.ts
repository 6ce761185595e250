import type { Receiver } from '../../support/receiver.js';
import { newUser, notify, triggerWhen } from '../../support/scene.js';
import type { TestService as WholeService } from '../../support/service.js';
import { PATIENCE_MS, until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
export type Json = any;
type TestService = Pick<WholeService, 'call'>;

/** A webhook is disabled by two failures that are a third of a second apart. */
export const SOON = { FAILING_DISABLE_HOURS: '0.0001' };
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

/** Reports records until the service disables the webhook. @returns the ids of the notifications, oldest first. */
export async function untilDisabled(service: TestService, webhook: Json): Promise<string[]> {
  const ids: string[] = [];
  await until(
    async () => {
      const { disabled_reason } = await webhookOf(service, webhook);
      if (disabled_reason !== null) return true;
      const { body } = await notify(service, webhook.user_id);
      ids.push(body.id);
      for (const { id } of body.triggers)
        await triggerWhen(service, id, (one) => one.attempt_count > 0 || one.status === 'CANCELLED');
      return false;
    },
    { what: 'disabling' },
  );
  return ids;
}

export const untilEnabled = (service: TestService, webhook: Json, withinMs = PATIENCE_MS) =>
  until(
    async () => {
      const found = await webhookOf(service, webhook);
      return found.enabled && found;
    },
    { withinMs, what: 'enabling' },
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

/** Resolves once there were so many more requests. */
export function requests(receiver: Receiver, webhook: Json, count: number): Promise<unknown> {
  const before = requestsAt(receiver, webhook).length;
  return until(() => requestsAt(receiver, webhook).length >= before + count);
}

/** Expects that nothing is sent during some looks of the service, which takes its time by another webhook's probes. */
export async function staysSilent(service: TestService, receiver: Receiver, webhook: Json): Promise<void> {
  const other = await failing(service, receiver, newUser());
  await untilDisabled(service, other);
  const before = requestsAt(receiver, webhook).length;
  await requests(receiver, other, 3);
  if (requestsAt(receiver, webhook).length > before) throw new Error('It is still probed.');
}
