import { writeJson } from '../../platform/json/write-json.js';
import type { Statement } from '../../store/insert.js';
import type { Sql } from '../../store/sql.js';
import { urgentFrom } from './due-time.js';
import { NEVER_DUE } from './never-due.js';
import { canMake, changesOf, RESENDING, type ResendingName } from './transitions.js';

/** A trigger that failed or was cancelled, and is to be sent again; or one that never was, and is to be made. */
export interface Resent {
  triggerId: string;
  notificationId: string;
  /** The id of its webhook's subscription, which may have been deleted and made again. */
  eventId: string;
  eventKind: string;
  /** Queue time. */
  dueAt: number;
}

/** Whose triggers are sent again, and why. */
interface ResentOf {
  webhookId: string;
  userId: string;
  /** Whether the webhook asks for an order: a trigger that is made joins a group. */
  isOrdered: boolean;
  cause: ResendingName;
}

/** What triggers of one webhook are sent again, or made. */
export interface Replayed extends ResentOf {
  resent: Resent[];
  made: Resent[];
}

const hasBody = (sql: Sql, row: 't' | 'j') =>
  `EXISTS (SELECT 1 FROM webhook_notification AS n ${sql.byIndex('PRIMARY')} WHERE n.payload_gone_at = 0 AND n.id = ${row}.notification_id)`;

/** Keeps the bodies from being taken away. Everybody locks notifications before their triggers, in the order of their ids. */
export function lockBodies(sql: Sql, all: Resent[]): Statement {
  const ids = sql.idList([...new Set(all.map(({ notificationId }) => notificationId))]);
  return {
    sql: `SELECT id FROM webhook_notification ${sql.byIndex('PRIMARY')} WHERE id IN ${ids.sql} ORDER BY id ${sql.forShare}`,
    parameters: [ids.parameter],
  };
}

/** Sends triggers again. @param condition on a row `j` of them. */
export function resend(sql: Sql, cause: ResendingName, resent: Resent[], condition: Statement): Statement {
  const transition = RESENDING[cause];
  return {
    sql: sql.updateFromRows(
      'webhook_trigger',
      { id: 'id', event_id: 'id', due_at: 'integer' },
      changesOf(transition),
      `t.id = j.id AND ${canMake(transition)} AND ${hasBody(sql, 't')} AND ${condition.sql}`,
    ),
    parameters: [
      writeJson(resent.map(({ triggerId, eventId, dueAt }) => [triggerId, eventId, dueAt])),
      ...condition.parameters,
    ],
  };
}

const MADE = {
  id: 'id',
  notification_id: 'id',
  event_id: 'id',
  event_kind: 'word',
  due_at: 'integer',
} as const;

/** Makes triggers, but not one that there is already. @param condition on a row `j` of them. */
export function make(
  sql: Sql,
  { webhookId, userId, isOrdered, cause }: ResentOf,
  made: Resent[],
  condition: Statement,
): Statement {
  // A probe waits for no group, as nothing else is sent to its webhook.
  const storedOf = (dueAt: number) => (cause === 'probe' ? urgentFrom(dueAt) : isOrdered ? NEVER_DUE : dueAt);
  const rows = made.map(({ triggerId, notificationId, eventId, eventKind, dueAt }) => [
    ...[triggerId, notificationId, eventId, eventKind],
    storedOf(dueAt),
  ]);
  return {
    sql: `${sql.insertIgnore} webhook_trigger
       (id, notification_id, webhook_id, event_id, event_kind, user_id, status, next_attempt_at, cause, ordered)
     SELECT j.id, j.notification_id, ?, j.event_id, j.event_kind, ?, 'PENDING', j.due_at, ?, ?
     FROM ${sql.jsonRows(MADE)} AS j WHERE ${hasBody(sql, 'j')} AND ${condition.sql}`,
    parameters: [...[webhookId, userId, cause, isOrdered ? 1 : 0], writeJson(rows), ...condition.parameters],
  };
}
