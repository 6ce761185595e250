import type { AttemptCause } from '../../store/tables/trigger/trigger.entity.js';
import type { CapacityBudget } from './capacity-budget.js';

/** A trigger that is leased to this process, with everything needed to send it. */
export interface LeasedTrigger {
  id: string;
  webhookId: string;
  /** Null for a test. */
  eventId: string | null;
  eventKind: string;
  /** When it was due: its position in the queue, in epoch milliseconds. */
  dueAt: number;
  /** The fencing token for storing its result. */
  lease: number;
  /** The id of this instance when it was leased. */
  leasedBy: string;
  /** Attempts made before. */
  attemptCount: number;
  /** How many of them were made before the retry schedule last restarted. */
  scheduleOffset: number;
  /** Whether it has been `FAILED` and has not succeeded since. */
  hasFailed: boolean;
  /** Why its next attempt is made. */
  cause: AttemptCause;
  /** The probe of a disabled webhook, sent to see whether the receiver is well again. (The breaker uses ordinary triggers as probes.) */
  isProbe: boolean;
  /** Requested manually: sent even if its receiver is paused, and ahead of other waiting triggers. */
  urgent: boolean;
  /** Whether its webhook asks for an order: what becomes of it concerns those behind it. */
  ordered: boolean;
  notification: LeasedNotification;
  /** The epoch of its webhook's breaker when its attempt began. */
  breakerEpoch: number;
  /** Whether it takes no capacity any more, as its result is stored late. */
  isApart?: boolean;
}

export interface LeasedNotification {
  id: string;
  traceparent: string | null;
  /** How many services like this one it has passed through. */
  hops: number;
  /** Null if the notification is gone although this trigger of it still exists. */
  body: Buffer | null;
  /** Whether its body was not read, because with it the claim would have had too many bytes. */
  isUnread?: boolean;
  /** How many triggers in the queues share it. */
  loaded?: number;
  /** Where its body counts, once for all of them. */
  loadedIn?: CapacityBudget;
}

/** Whether it had failed for good before, and an attempt that fails now is no news. */
export const isKnownToFail = ({ isProbe, hasFailed }: LeasedTrigger) => isProbe && hasFailed;

/** The notification of a trigger; null if it was made due again by hand or by a recovery, long after it was made. */
export const firstSentOf = ({ scheduleOffset, notification }: LeasedTrigger) =>
  scheduleOffset === 0 ? notification.id : null;
