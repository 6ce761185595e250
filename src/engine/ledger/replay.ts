import type { Dialect } from '../../store/columns.js';
import { jsonRows, updateFromRows } from '../../store/json-rows.js';
import type { AttemptCause } from '../../store/tables/trigger/trigger.entity.js';
import { dueInTurn, HELD } from './held.js';
import { ANEW, FENCE, hasStatus } from './transitions.js';

/** A trigger that failed or was cancelled, and is to be sent again. */
export interface Resent {
  triggerId: string;
  /** Of its webhook's subscription, which may have been deleted and made again. */
  eventId: string;
  /** Queue time. */
  dueAt: number;
}

/** A trigger that never was. */
export interface Made extends Resent {
  notificationId: string;
  eventKind: string;
}

/** What triggers of one webhook are sent again, or made. */
export interface Replayed {
  webhookId: string;
  userId: string;
  /** Whether the webhook's notifications stand in lines: a trigger that is made takes its place in one. */
  isLined: boolean;
  cause: Extract<AttemptCause, 'recover' | 'probe'>;
  resent: Resent[];
  made: Made[];
}

/**
 * Sends triggers `t` again that have failed or were cancelled, on a fresh retry schedule. What was superseded or erased stays so.
 * It has one parameter: {@link resentRows}.
 */
export const resendSql = (dialect: Dialect) =>
  updateFromRows(
    dialect,
    'webhook_trigger',
    { id: 'id', event_id: 'id', due_at: 'integer' },
    {
      status: `'PENDING'`,
      event_id: 'j.event_id',
      next_attempt_at: dueInTurn('j.due_at', 't.lined'),
      cause: `'recover'`,
      ...ANEW,
      ...FENCE,
    },
    `t.id = j.id AND ${hasStatus(['FAILED', 'CANCELLED'])} AND t.cancelled_for IS NULL`,
  );

export const resentRows = ({ resent }: Replayed) =>
  JSON.stringify(resent.map(({ triggerId, eventId, dueAt }) => [triggerId, eventId, dueAt]));

const MADE = {
  id: 'id',
  notification_id: 'id',
  event_id: 'id',
  event_kind: 'word',
  due_at: 'integer',
} as const;

/** Makes triggers from rows `j`, but not one that there is already. Its parameters are {@link madeParameters}. */
export const makeSql = (dialect: Dialect) =>
  `INSERT ${dialect === 'sqlite' ? 'OR IGNORE' : 'IGNORE'} INTO webhook_trigger
     (id, notification_id, webhook_id, event_id, event_kind, user_id, status, next_attempt_at, cause, lined)
   SELECT j.id, j.notification_id, ?, j.event_id, j.event_kind, ?, 'PENDING', j.due_at, ?, ?
   FROM ${jsonRows(dialect, MADE)} AS j`;

/** A probe waits for no line, as nothing else is sent to its webhook. */
export function madeParameters({ webhookId, userId, isLined, cause, made }: Replayed): unknown[] {
  const waits = isLined && cause !== 'probe';
  const rows = made.map(({ triggerId, notificationId, eventId, eventKind, dueAt }) => [
    ...[triggerId, notificationId, eventId, eventKind],
    waits ? HELD : dueAt,
  ]);
  return [webhookId, userId, cause, isLined ? 1 : 0, JSON.stringify(rows)];
}
