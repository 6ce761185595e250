import { type HealthState, stateOf } from '../../engine/health/shown-state.js';
import { toDateTime } from '../../platform/json/json-time.js';
import type { WebhookEntity } from '../../store/tables/webhook/webhook.entity.js';
import type { Diagnosis } from '../../trigger/attempt/diagnosis/diagnosis.js';
import { NOTHING_WAITS, type Waiting } from './waiting.js';

/** How a webhook is, and what waits for it. */
export interface WebhookHealth {
  /**
   * `off` (disabled), `paused` (left alone after failures, or because it asked for that), `failing` (its last attempt failed),
   * `delivering` (its last attempt succeeded), or `idle` (nothing was attempted since it was made, switched on, moved, or pointed
   * elsewhere): of several the first.
   */
  state: HealthState;
  /** When the state began. RFC 3339, UTC, milliseconds. */
  since: string;
  /** What its last failed attempt means, and what to do about it; null while it is delivering, or if none failed. */
  diagnosis: Diagnosis | null;
  /**
   * How many triggers are not delivered yet, those between two attempts included; at least so many if all webhooks have more than a
   * million.
   */
  waiting: number;
  /** When the oldest of these was accepted; null if nothing waits. RFC 3339, UTC, milliseconds. */
  oldestDueAt: string | null;
  /**
   * When the next attempt is due, which may be now or past; null if none is. A `paused` one is left alone until then, and one
   * that is `off` is probed then. RFC 3339, UTC, milliseconds.
   */
  nextAttemptAt: string | null;
}

const toTime = (at: number | null) => (at === null ? null : toDateTime(at));

function nextAtOf(state: HealthState, row: WebhookEntity, waiting: Waiting): number | null {
  if (state === 'off') return row.probeAt;
  return state === 'paused' ? row.pausedUntil : waiting.nextAt;
}

/** @param diagnosis that of its last failed attempt. @param now epoch milliseconds. */
export function healthOf(
  row: WebhookEntity,
  { waiting, diagnosis, now }: { waiting: Waiting; diagnosis: Diagnosis | null; now: number },
): WebhookHealth {
  const { state, since } = stateOf(row, now);
  return {
    state,
    since: toDateTime(since),
    diagnosis: state === 'delivering' ? null : diagnosis,
    waiting: waiting.count,
    oldestDueAt: toTime(waiting.oldestAt),
    nextAttemptAt: toTime(nextAtOf(state, row, waiting)),
  };
}

/** The health of a webhook that was made just now. */
export const healthOfNew = (row: WebhookEntity): WebhookHealth =>
  healthOf(row, { waiting: NOTHING_WAITS, diagnosis: null, now: row.createdAt });
