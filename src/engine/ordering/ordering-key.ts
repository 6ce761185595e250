import { createHash } from 'node:crypto';
import { writeJson } from '../../platform/json/write-json.js';
import type { Insert } from '../../store/insert.js';
import type { OrderingRule } from '../webhook/webhook-settings.js';

/** Where a trigger stands in its group: all that have one ordering key are sent one at a time, in the order of `position`. */
export interface GroupPosition {
  orderingKey: string;
  /** The notification's id. */
  position: string;
  /** Only the newest trigger of a topic is sent; null if all are. */
  topic: string | null;
}

/** A notification, as far as it decides where its triggers stand. */
export interface Orderable {
  id: string;
  eventKind: string;
  recordId: string | null;
  /** Read only for `ANALYSIS_FINISHED` with `coalesce`. */
  body: Buffer | null;
}

/** @returns null for a notification without a record: it waits for no other. */
export function positionOf(
  webhookId: string,
  notification: Orderable,
  { byRecord, coalesce }: OrderingRule,
): GroupPosition | null {
  const { id: position, eventKind, recordId } = notification;
  if (recordId === null) return null;
  const topic = coalesce ? hashOf([webhookId, recordId, eventKind, analysisOf(notification)]) : null;
  const orderingKey = byRecord || topic === null ? hashOf([webhookId, recordId]) : topic;
  return { orderingKey, position, topic };
}

/** Ids may be of any form and length; an ordering key is short and tells nothing. */
const hashOf = (parts: (string | null)[]) =>
  createHash('sha256').update(writeJson(parts)).digest('base64url');

/** Two analyses of a record that finish are two things to tell. The body holds the one that finished. */
function analysisOf({ eventKind, body }: Orderable): string | null {
  if (eventKind !== 'ANALYSIS_FINISHED') return null;
  try {
    const { data } = JSON.parse(String(body)) as { data: { analysis: { id: string }[] } };
    return data.analysis[0]?.id ?? null;
  } catch {
    // Nothing is left of it to send. One row that cannot be read must not stop all groups.
    return null;
  }
}

/** A trigger's position in its group. */
export interface GroupMember extends GroupPosition {
  triggerId: string;
}

export const membersOf = (members: GroupMember[]): Insert => ({
  table: 'webhook_group_member',
  columns: ['trigger_id', 'ordering_key', 'position', 'topic'],
  rows: members.map(({ triggerId, orderingKey, position, topic }) => [
    triggerId,
    orderingKey,
    position,
    topic,
  ]),
});
