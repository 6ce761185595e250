import { TRIGGER_STATUSES, type TriggerStatus } from '../../store/tables/trigger/trigger.entity.js';
import { asBefore, urgentFromSql } from './due-time.js';
import { dueOnceHead, NEVER_DUE } from './never-due.js';

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
  /** Whether it is made by those who reconcile its group; if not, the group is marked for them. */
  isOfOrdering?: true;
}

const WAITING = ['PENDING'] as const;
const UNDELIVERED = ['PENDING', 'DELIVERING'] as const;
const NOT_UNDER_WAY = ['PENDING', 'SUCCEEDED', 'FAILED', 'CANCELLED'] as const;
const WITHOUT_SUCCESS = ['FAILED', 'CANCELLED'] as const;

const ENDED = { end_at: '?', next_attempt_at: '0' };
/** SQL that takes a trigger `t` from whoever has it: a result of an earlier holder matches no row. */
export const FENCE = { leased_by: `''`, lease: 't.lease + 1' };
/** SQL for a trigger `t` that is sent again, on a fresh retry schedule. */
const ANEW = { end_at: '0', schedule_offset: 't.attempt_count', cancelled_for: 'NULL' };

/** SQL: somebody asked for a trigger, and it has not been tried since. */
export const IS_ASKED_FOR = `cause = 'retry' AND attempt_count = schedule_offset`;

/** When a trigger is due that became the head. One that was retried by hand since it was blocked does not wait for its old schedule. */
const DUE_AS_HEAD = `CASE WHEN ${IS_ASKED_FOR} THEN ${urgentFromSql('?')} WHEN attempt_count = schedule_offset THEN ? ELSE COALESCE(
    (SELECT CASE WHEN due_at > ? THEN due_at END FROM webhook_group_member WHERE trigger_id = t.id), ?) END`;

/** All but {@link RESENDING}, and claiming, settling and requeueing, which each have a file. */
export const TRANSITIONS = {
  /** Its webhook or event was switched off or removed. */
  cancel: { from: WAITING, to: 'CANCELLED', set: ENDED, isMissed: true },
  /** A newer trigger of its group has the same topic. */
  supersede: {
    from: WAITING,
    to: 'CANCELLED',
    set: { ...ENDED, cancelled_for: `'superseded'` },
    isOfOrdering: true,
  },
  /** Its data was erased. The result of an attempt under way changes nothing, and is not stored. */
  erase: { from: UNDELIVERED, to: 'CANCELLED', set: { ...ENDED, cancelled_for: `'erased'` } },
  /** Somebody asked for it. */
  retry: {
    from: NOT_UNDER_WAY,
    to: 'PENDING',
    set: { ...ANEW, next_attempt_at: dueOnceHead(urgentFromSql('?')), cause: `'retry'` },
  },
  /** The instance that leased it is dead. */
  reclaim: { from: ['DELIVERING'], to: 'PENDING', set: { next_attempt_at: asBefore('?') } },
  /** Another trigger of its group goes first. A claim that is under way finds that it is not due any more. */
  block: { from: WAITING, to: 'PENDING', set: { next_attempt_at: '?' }, isOfOrdering: true },
  /** It is the head of its group, or belongs to none any more. */
  unblock: {
    from: WAITING,
    to: 'PENDING',
    set: { next_attempt_at: DUE_AS_HEAD },
    where: `next_attempt_at = ${NEVER_DUE}`,
    isOfOrdering: true,
  },
} as const satisfies Record<string, Transition>;

export type TransitionName = keyof typeof TRANSITIONS;

/** What was superseded or erased stays so. The subscription may have been deleted and made again. */
const REPLAYED = {
  from: WITHOUT_SUCCESS,
  to: 'PENDING',
  where: 't.cancelled_for IS NULL',
} as const;

/** The transitions that are made from rows `j`, each of which says when its trigger is due, and for which event it is sent. */
export const RESENDING = {
  /** Its webhook gets what it did not get. */
  recover: {
    ...REPLAYED,
    set: {
      ...ANEW,
      event_id: 'j.event_id',
      next_attempt_at: dueOnceHead('j.due_at', 't.ordered'),
      cause: `'recover'`,
    },
  },
  /**
   * It shows whether the receiver of a disabled webhook is well again. It waits for no group, as nothing else is sent to its
   * webhook; what comes once the owner has enabled that waits for it.
   */
  probe: {
    ...REPLAYED,
    set: { ...ANEW, event_id: 'j.event_id', next_attempt_at: urgentFromSql('j.due_at'), cause: `'probe'` },
  },
} as const satisfies Record<string, Transition>;

export type ResendingName = keyof typeof RESENDING;

/** What a transition stores. */
export const changesOf = ({ to, set }: Transition): Record<string, string> => ({
  status: `'${to}'`,
  ...set,
  ...FENCE,
});

/** SQL: a trigger has one of these statuses. Not "status IN": SQLite would find all of those first, and look for ids among them. */
export function hasStatus(from: readonly TriggerStatus[]): string {
  const others = TRIGGER_STATUSES.filter((status) => !from.includes(status));
  return `status NOT IN (${others.map((status) => `'${status}'`).join(', ')})`;
}

/** SQL: a trigger can make this transition. */
export function canMake({ from, where }: Transition): string {
  return where ? `${hasStatus(from)} AND ${where}` : hasStatus(from);
}
