import type { Insert } from '../../store/insert.js';
import { marksOf } from './line-mark.repository.js';

/** A trigger that comes into being with its notification. */
export interface Newborn {
  id: string;
  notification: { id: string; eventKind: string; userId: string };
  webhookId: string;
  /** Null for a test. */
  subscriptionId: string | null;
  /** The instance that will send it at once; null if it waits to be claimed. */
  leasedBy: string | null;
  /** In queue time, epoch milliseconds. */
  dueAt: number;
  /** Its place in a line of its webhook; null if it stands in none. */
  line: object | null;
}

const COLUMNS = [
  'id',
  'notification_id',
  'webhook_id',
  'event_id',
  'event_kind',
  'user_id',
  'status',
  'next_attempt_at',
  'leased_by',
  'lease',
  'attempt_count',
  'schedule_offset',
  'lined',
];

/** In the order of {@link COLUMNS}. */
const toRow = ({ id, notification, webhookId, subscriptionId, leasedBy, dueAt, line }: Newborn) => [
  id,
  notification.id,
  webhookId,
  subscriptionId,
  notification.eventKind,
  notification.userId,
  leasedBy === null ? 'PENDING' : 'DELIVERING',
  dueAt,
  leasedBy ?? '',
  leasedBy === null ? 0 : 1,
  0,
  0,
  line === null ? 0 : 1,
];

/**
 * What is inserted with notifications, in the transaction that accepts them: their triggers, and the marks of those that stand in
 * lines. Whoever accepts notes what watchers are told, as the notifications are part of it.
 */
export function birthsOf(triggers: Newborn[]): Insert[] {
  const lined = triggers.flatMap(({ id, line }) => (line ? id : []));
  return [
    { table: 'webhook_trigger', columns: COLUMNS, rows: triggers.map(toRow) },
    ...(lined.length > 0 ? [marksOf(lined)] : []),
  ];
}
