import { HOPS_HEADER, hopsOf, refuseLoop } from '../../engine/send/hops.js';
import type { EventKinds } from '../../event/event-kinds.js';
import { isObject } from '../../platform/json/column-json.js';
import { jsonPointer } from '../../platform/json/json-pointer.js';
import { jsonSource } from '../../platform/json/json-source.js';
import { invalid, Problem } from '../../platform/problem.js';
import { parseBody } from '../../rest/validation.js';
import { notificationEnvelope } from '../dto/notification.dto.js';
import type { NotificationInput } from '../payload.js';
import { plainEnvelope } from '../plain-notification.js';
import { membersOnce, recordSourceOf, traceparentOf } from '../report-source.js';

/** Bytes of a message's body. */
const MAX_BYTES = 1024 * 1024;
/** How deep a notification's body may be, with the envelope around it. */
const MAX_DEPTH = 65;
/** What Nest's clients write around an event. `id` is there if the sender waits for an answer, which nobody gives. */
const NEST_FIELDS = ['pattern', 'data', 'id'];

/** A message of a queue that reports an event. */
export interface IntakeMessage {
  /** The event as JSON, as `POST /v1/notification` takes it or as a Nest client emits it. */
  body: Uint8Array;
  /** 1 to 255 printable ASCII characters; the same whenever the same event is sent again. */
  messageId: string | undefined;
  /** `traceparent` and `webhook-hops` are read, in any casing. */
  headers?: Record<string, unknown> | undefined;
}

/** The event in a message's body. */
interface Report {
  /** JSON Pointer of the object that has the event's fields. */
  parent: '' | '/data';
  /** Where that object begins in the text. */
  start: number;
  text: string;
  fields: Record<string, unknown>;
}

/**
 * Finds the event in a message's body.
 *
 * @throws Problem 400, 413 `body_too_large`
 */
export function reportOf({ body }: IntakeMessage, kinds: EventKinds): Report {
  if (body.length > MAX_BYTES) throw new Problem(413, 'body_too_large', 'A message may hold 1 MiB at most.');
  const { text, value } = jsonSource(body, MAX_DEPTH);
  if (!isObject(value)) throw invalid([{ pointer: '', message: 'must be an object' }]);
  return Object.hasOwn(value, 'pattern')
    ? nestReport(text, value, kinds)
    : { parent: '', start: 0, text, fields: value };
}

/** The event in what a Nest client emitted. */
function nestReport(text: string, packet: Record<string, unknown>, kinds: EventKinds): Report {
  const { pattern, data } = packet;
  const all = membersOnce(text);
  const errors = all
    .filter(({ key }) => !NEST_FIELDS.includes(key))
    .map(({ key }) => ({ pointer: jsonPointer([key]), message: 'is not a known field' }));
  const kind = typeof pattern === 'string' ? kinds.ofEvent(pattern) : undefined;
  if (kind === undefined)
    errors.push({ pointer: '/pattern', message: `must be one of ${kinds.events().join(', ')}` });
  if (!isObject(data)) errors.push({ pointer: '/data', message: 'must be an object' });
  else if (Object.hasOwn(data, 'event_kind'))
    errors.push({ pointer: '/data/event_kind', message: 'is not a known field: the pattern says the kind' });
  if (errors.length > 0) throw invalid(errors);
  const start = all.find(({ key }) => key === 'data')?.start ?? 0;
  return { parent: '/data', start, text, fields: { ...(data as object), event_kind: kind } };
}

/**
 * The event of a message.
 *
 * @param onlyUser the user that all messages of the queue are about; null if a message may name any.
 * @throws Problem 400, 403 `user_not_allowed`
 */
export function inputOf(
  { text, start, fields }: Report,
  message: IntakeMessage,
  onlyUser: string | null,
): NotificationInput {
  const given = onlyUser === null ? fields : { user_id: onlyUser, ...fields };
  const { event_kind, user_id, analysis_id } = plainEnvelope(given) ?? parseBody(notificationEnvelope, given);
  if (onlyUser !== null && user_id !== onlyUser)
    throw new Problem(
      403,
      'user_not_allowed',
      'The events of this queue are those of one user, and of no other.',
    );
  // A broker's client may have null for none.
  const headers = message.headers ?? {};
  const hops = { headers: { [HOPS_HEADER]: textOf(headerOf(headers, HOPS_HEADER)) } };
  refuseLoop(hops);
  return {
    eventKind: event_kind,
    userId: user_id,
    recordText: recordSourceOf(text, start),
    analysisId: analysis_id ?? null,
    traceparent: traceparentOf(textOf(headerOf(headers, 'traceparent'))),
    hops: hopsOf(hops),
  };
}

/** AMQP has numbers in headers, and tells casings apart, which HTTP does not. */
function headerOf(headers: Record<string, unknown>, name: string): unknown {
  return headers[Object.keys(headers).find((given) => given.toLowerCase() === name) ?? name];
}

/** A table or a list, which may have a `toString` that cannot be called, is as good as an unreadable text. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'object' && !Buffer.isBuffer(value) ? '' : String(value);
}
