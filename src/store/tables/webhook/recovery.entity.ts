import { EntitySchema } from 'typeorm';
import type { Columns } from '../../columns.js';

/** `RUNNING` → `DONE`, or `STOPPED` by a call or because the webhook is gone. */
export const RECOVERY_STATES = ['RUNNING', 'DONE', 'STOPPED'] as const;
/** The state of a recovery. */
export type RecoveryState = (typeof RECOVERY_STATES)[number];

/** A row of `webhook_recovery`: sending again, at a steady rate, what a webhook missed. Times are epoch milliseconds. */
export class RecoveryEntity {
  /** UUIDv7. */
  id: string;
  webhookId: string;
  userId: string;
  state: RecoveryState;
  /** The span, both ends included. */
  since: number;
  until: number;
  /** Whether it also takes in what the webhook never got a trigger for. */
  missed: boolean;
  perSecond: number;
  /** Triggers that it was to make due when it began, as far as they are counted, and those that it has. */
  total: number;
  done: number;
  /** The id, of a trigger or, if `missed`, of a notification, up to which it has examined all of them. */
  position: string;
  /** The id up to which `total` counts them. */
  counted: string;
  /** What is made later is sent anyway. A few seconds ahead if the webhook was switched on with it. */
  beginAt: number;
  endAt: number | null;
  /** The webhook's id while it runs, then null: unique, so that a webhook has one running recovery at most. */
  runningOf: string | null;
  /** The instance that carries it on; empty if none does. */
  heldBy: string;
}

export const recoverySchema = (column: Columns) =>
  new EntitySchema<RecoveryEntity>({
    name: 'RecoveryEntity',
    target: RecoveryEntity,
    tableName: 'webhook_recovery',
    columns: {
      id: { ...column.ascii(36), primary: true },
      webhookId: { ...column.ascii(36), name: 'webhook_id' },
      userId: { ...column.unicode(128), name: 'user_id' },
      state: column.fixedAscii(8),
      since: column.time(),
      until: column.time(),
      missed: column.boolean(),
      perSecond: { ...column.integer(), name: 'per_second' },
      total: column.time(),
      done: column.time(),
      position: column.ascii(36),
      counted: column.ascii(36),
      beginAt: { ...column.time(), name: 'begin_at' },
      endAt: { ...column.timeToCome(), name: 'end_at' },
      runningOf: { ...column.ascii(36), name: 'running_of', nullable: true },
      heldBy: { ...column.fixedAscii(36), name: 'held_by', default: '' },
    },
    indices: [
      { name: 'webhook_recovery_webhook', columns: ['webhookId', 'id'] },
      { name: 'webhook_recovery_user', columns: ['userId', 'id'] },
      { name: 'webhook_recovery_running', columns: ['runningOf'], unique: true },
    ],
  });
