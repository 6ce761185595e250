import { createHash } from 'node:crypto';
import { firstIdOf } from '../../../platform/ids/first-id.js';
import type { RecoveryEntity } from '../../../store/tables/webhook/recovery.entity.js';
import type { Replayed } from '../../ledger/replay.js';

/** What a recovery scans: one webhook's triggers or, with what it missed, its user's notifications. */
export interface RecoveryScope {
  webhookId: string;
  userId: string;
  /** Its enabled events. */
  events: EnabledEvent[];
  /** Where the scan ends: after all ids before this one. */
  endId: string;
}

export interface EnabledEvent {
  id: string;
  kind: string;
  /** Names its filter; null if it lets everything through. */
  filterHash: string | null;
}

/** A trigger to make due, or to make. */
export interface Found {
  /** The id that a scan goes by. */
  place: string;
  triggerId: string;
  /** Whether there is no such trigger yet. */
  isNew: boolean;
  notificationId: string;
  /** The enabled event that it is sent for. */
  event: EnabledEvent;
}

/** What is sent again, and made, of what was found. @param dueAt of each. */
export function resentOf(found: Found[], dueAt: number[]): Pick<Replayed, 'resent' | 'made'> {
  const all = found.map(({ isNew, triggerId, notificationId, event }, i) => ({
    isNew,
    ...{ triggerId, notificationId, eventId: event.id, eventKind: event.kind, dueAt: dueAt[i] as number },
  }));
  return { resent: all.filter(({ isNew }) => !isNew), made: all.filter(({ isNew }) => isNew) };
}

/** The next part of a scan. */
export interface ScanPage {
  /** In the order of their places. */
  found: Found[];
  /** The id up to which everything was examined; null at the end of the scan. */
  through: string | null;
}

/** How many were counted, and the id up to which; null at the end of the scan. */
export interface ScanCount {
  count: number;
  through: string | null;
}

/** A way through the ids of a scope. Each call reads a bounded number of rows, however few of them are wanted. */
export interface ReplayScan {
  /** The most rows that one call should examine. */
  readonly maxWindow: number;
  /** @param window how many rows to examine. */
  next(scope: RecoveryScope, after: string, limit: number, window: number): Promise<ScanPage>;
  /** How many there are in the next rows. @param window how many rows to examine. */
  count(scope: RecoveryScope, after: string, window: number): Promise<ScanCount>;
}

/** The id after which a scan begins. One character less, as the first id itself is part of it. */
export const startOf = (since: number) => firstIdOf(since).slice(0, -1);

/** Where a recovery's scan ends: what is made after its begin is sent anyway. */
export const endIdOf = ({ until, beginAt }: Pick<RecoveryEntity, 'until' | 'beginAt'>) =>
  startOf(Math.min(until, beginAt) + 1);

/** Longer than a call takes that saw a webhook disabled and has yet to commit a notification that the webhook misses. */
export const SETTLING_MS = 5000;

/**
 * Where a scan that has come to its end goes on from, because its recovery has not begun yet: the webhook was switched on with
 * it, and notifications that it misses may still be committed behind the scan. Null if the scan is over.
 */
export function openEndOf(
  { since, beginAt }: Pick<RecoveryEntity, 'since' | 'beginAt'>,
  now: number,
): string | null {
  const left = beginAt - now;
  // More is left only if the clock was set back.
  return left <= 0 || left > SETTLING_MS ? null : startOf(Math.max(since, beginAt - 2 * SETTLING_MS));
}

const TIME_AND_ORDER = 24;

/**
 * The id of the trigger that a webhook gets for a notification that it missed: always the same, so that the primary key
 * allows no second one. It begins like the notification's, so the trigger stands where it would have stood.
 */
export function missedTriggerId(notificationId: string, webhookId: string): string {
  const digest = createHash('sha256').update(`${notificationId} ${webhookId}`).digest('hex');
  return notificationId.slice(0, TIME_AND_ORDER) + digest.slice(0, 36 - TIME_AND_ORDER);
}
