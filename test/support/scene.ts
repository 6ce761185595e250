import { randomUUID } from 'node:crypto';
import { WebhookQueues } from '../../src/engine/queue/webhook-queues.js';
import type { Answer } from './call.js';
import type { TestService as WholeService } from './service.js';
import { until } from './until.js';

type TestService = Pick<WholeService, 'call'>;

// biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
export type Json = any;

const FINAL = ['SUCCEEDED', 'FAILED', 'CANCELLED'];

/** A user id that no other test uses, whatever services and files they share. */
export const newUser = () => `user-${randomUUID()}`;

export const record = { id: 'rec_1', name: 'Ada', analysis: [{ id: 'ana_1' }, { id: 'ana_2' }] };

/** Sends a RECORD_FINISHED notification; `more` overrides its fields. */
export function notify(
  service: TestService,
  userId: string,
  more: Record<string, unknown> = {},
): Promise<Answer> {
  const body = { event_kind: 'RECORD_FINISHED', user_id: userId, record, ...more };
  return service.call('POST', '/v1/notification', body);
}

/** Sends this many notifications at once. */
export const notifyTimes = (
  count: number,
  service: TestService,
  userId: string,
  more?: Record<string, unknown>,
): Promise<Answer[]> => Promise.all(Array.from({ length: count }, () => notify(service, userId, more)));

/** Sends a notification. @returns the id of the single trigger it created. */
export async function trigger(service: TestService, userId: string): Promise<string> {
  const { status, body, text } = await notify(service, userId);
  if (status !== 202 || body.triggers.length !== 1) throw new Error(`Not one trigger: ${text}`);
  return body.triggers[0].id;
}

async function findTrigger(service: TestService, id: string): Promise<Json> {
  const answer = await service.call('GET', `/v1/webhook/trigger?id=${id}`);
  if (answer.status !== 200) throw new Error(`No trigger: ${answer.text}`);
  return answer.body;
}

/** Resolves with the trigger once `holds` is true for it. */
export function triggerWhen(
  service: TestService,
  id: string,
  holds: (trigger: Json) => boolean,
): Promise<Json> {
  const look = async () => {
    const found = await findTrigger(service, id);
    return holds(found) && found;
  };
  return until(look, { what: `trigger ${id}` });
}

/** Resolves with the trigger once its status is final. */
export const finished = (service: TestService, id: string) =>
  triggerWhen(service, id, ({ status }) => FINAL.includes(status));

/** Resolves with the trigger once so many of its attempts have ended. */
export const attempted = (service: TestService, id: string, times = 1) =>
  triggerWhen(service, id, ({ attempt_count }) => attempt_count >= times);

/** How many attempts are under way. Each is until the health of its webhook is updated, which is after its result is stored. */
export const underWay = ({ get }: Pick<WholeService, 'get'>): number => get(WebhookQueues).budget.size;

/** Resolves once the attempts that this makes are over. @param others that are under way, and may stay so. */
export async function untilOver<T>(
  service: Pick<WholeService, 'get'>,
  make: () => Promise<T>,
  others = underWay(service),
): Promise<T> {
  const made = await make();
  await until(() => underWay(service) <= others, { what: 'the end of an attempt' });
  return made;
}
