import type { Insert } from '../../store/insert.js';
import { urgentFrom } from './due-time.js';
import { orderingMarksOf } from './ordering-marks.repository.js';

/** A trigger that comes into being with its notification. */
export interface Newborn {
  id: string;
  notification: { id: string; eventKind: string; userId: string };
  webhookId: string;
  /** Null for a test. */
  eventId: string | null;
  /** The instance that will send it at once; null if it waits to be claimed. */
  leasedBy: string | null;
  /** In queue time, epoch milliseconds. */
  dueAt: number;
  /** Where it stands in its group; null if its webhook asks for no order. */
  position: object | null;
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
  'ordered',
];

/** In the order of {@link COLUMNS}. */
const toRow = ({ id, notification, webhookId, eventId, leasedBy, dueAt, position }: Newborn) => [
  id,
  notification.id,
  webhookId,
  eventId,
  notification.eventKind,
  notification.userId,
  leasedBy === null ? 'PENDING' : 'DELIVERING',
  // A test that has to be claimed goes before all others.
  leasedBy === null && eventId === null ? urgentFrom(dueAt) : dueAt,
  leasedBy ?? '',
  leasedBy === null ? 0 : 1,
  0,
  0,
  position === null ? 0 : 1,
];

/**
 * What is inserted with notifications, in the transaction that accepts them: their triggers, and the marks of those that are
 * ordered. Whoever accepts notes what watchers are told, as the notifications are part of it.
 */
export function birthsOf(triggers: Newborn[]): Insert[] {
  const ordered = triggers.flatMap(({ id, position }) => (position ? id : []));
  return [
    { table: 'webhook_trigger', columns: COLUMNS, rows: triggers.map(toRow) },
    ...(ordered.length > 0 ? [orderingMarksOf(ordered)] : []),
  ];
}
