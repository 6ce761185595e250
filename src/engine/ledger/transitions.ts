import { TRIGGER_STATUSES, type TriggerStatus } from '../../store/tables/trigger/trigger.entity.js';
import { dueInTurn, HELD } from './held.js';

/** A change of a trigger's status. What each of them stores beside that, and what follows from all, is the ledger's. */
export interface Transition {
  from: readonly TriggerStatus[];
  to: TriggerStatus;
  /** SQL for further columns of a row `t`. Each `?` among them is the time of the transition. */
  set: Readonly<Record<string, string>>;
  /** Whether its webhook misses it, and may have to get it once its receiver is well again. */
  isMissed?: true;
  /** SQL for a further condition on a trigger. */
  where?: string;
  /** Whether it is made by those who put its line right; if not, the line is marked for them. */
  isOfLine?: true;
}

const WAITING = ['PENDING'] as const;
const UNDELIVERED = ['PENDING', 'DELIVERING'] as const;
const NOT_UNDER_WAY = ['PENDING', 'SUCCEEDED', 'FAILED', 'CANCELLED'] as const;

const ENDED = { end_at: '?', next_attempt_at: '0' };
/** SQL that takes a trigger `t` from whoever has it: a result of an earlier holder matches no row. */
export const FENCE = { leased_by: `''`, lease: 't.lease + 1' };
/** SQL for a trigger `t` that is sent again, on a fresh retry schedule. */
export const ANEW = { end_at: '0', schedule_offset: 't.attempt_count', cancelled_for: 'NULL' };

/** When a trigger is due that got the turn. One that was retried by hand since it lost it does not wait for its old schedule. */
const DUE_IN_ITS_TURN = `CASE WHEN attempt_count = schedule_offset THEN ? ELSE COALESCE(
    (SELECT CASE WHEN due_at > ? THEN due_at END FROM webhook_line_entry WHERE trigger_id = t.id), ?) END`;

/** All but claiming, settling and giving back, whose statements differ by database. */
export const TRANSITIONS = {
  /** Its webhook or event was switched off or removed. */
  cancel: { from: WAITING, to: 'CANCELLED', set: ENDED, isMissed: true },
  /** A newer trigger with the same topic stands in its line. */
  supersede: {
    from: WAITING,
    to: 'CANCELLED',
    set: { ...ENDED, cancelled_for: `'superseded'` },
    isOfLine: true,
  },
  /** Its data was erased. The result of an attempt under way changes nothing, and is not stored. */
  erase: { from: UNDELIVERED, to: 'CANCELLED', set: { ...ENDED, cancelled_for: `'erased'` } },
  /** Somebody asked for it. */
  retry: {
    from: NOT_UNDER_WAY,
    to: 'PENDING',
    set: { ...ANEW, next_attempt_at: dueInTurn('?'), cause: `'retry'` },
  },
  /**
   * It shows whether the receiver of a disabled webhook is well again. It waits for no line, as nothing else is sent to its
   * webhook; what comes once the owner has enabled that waits for it.
   */
  probe: { from: NOT_UNDER_WAY, to: 'PENDING', set: { ...ANEW, next_attempt_at: '?', cause: `'probe'` } },
  /** The instance that leased it is dead. */
  reclaim: { from: ['DELIVERING'], to: 'PENDING', set: { next_attempt_at: '?' } },
  /** Another trigger of its line goes first. A claim that is under way finds that it is not due any more. */
  block: { from: WAITING, to: 'PENDING', set: { next_attempt_at: '?' }, isOfLine: true },
  /** It has the turn in its line, or stands in none any more. */
  unblock: {
    from: WAITING,
    to: 'PENDING',
    set: { next_attempt_at: DUE_IN_ITS_TURN },
    where: `next_attempt_at = ${HELD}`,
    isOfLine: true,
  },
} as const satisfies Record<string, Transition>;

export type TransitionName = keyof typeof TRANSITIONS;

/** SQL: a trigger has one of these statuses. Not "status IN": SQLite would find all of those first, and look for ids among them. */
export function hasStatus(from: readonly TriggerStatus[]): string {
  const others = TRIGGER_STATUSES.filter((status) => !from.includes(status));
  return `status NOT IN (${others.map((status) => `'${status}'`).join(', ')})`;
}
