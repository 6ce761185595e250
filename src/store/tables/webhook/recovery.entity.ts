import { Column, Table } from '../../table.js';

/** `RUNNING` → `DONE`, or `STOPPED` by a call or because the webhook is gone. */
export const RECOVERY_STATES = ['RUNNING', 'DONE', 'STOPPED'] as const;
/** The state of a recovery. */
export type RecoveryState = (typeof RECOVERY_STATES)[number];

/** A row of `webhook_recovery`: sending again, at a steady rate, what a webhook missed. Times are epoch milliseconds. */
@Table('webhook_recovery', {
  indices: [
    { name: 'webhook_recovery_webhook', columns: ['webhookId', 'id'] },
    { name: 'webhook_recovery_user', columns: ['userId', 'id'] },
    { name: 'webhook_recovery_running', columns: ['runningOf'], unique: true },
  ],
})
export class RecoveryEntity {
  /** UUIDv7. */
  @Column.ascii(36, { primary: true }) id: string;
  @Column.ascii(36) webhookId: string;
  @Column.unicode(128) userId: string;
  @Column.fixedAscii(8) state: RecoveryState;
  /** The span, both ends included. */
  @Column.time() since: number;
  @Column.time() until: number;
  /** Whether it also takes in what the webhook never got a trigger for. */
  @Column.boolean() missed: boolean;
  @Column.integer() perSecond: number;
  /** Triggers that it was to make due when it began, as far as they are counted, and those that it has. */
  @Column.time() total: number;
  @Column.time() done: number;
  /** The id, of a trigger or, if `missed`, of a notification, up to which it has examined all of them. */
  @Column.ascii(36) position: string;
  /** The id up to which `total` counts them. */
  @Column.ascii(36) counted: string;
  /** What is made later is sent anyway. A few seconds ahead if the webhook was switched on with it. */
  @Column.time() beginAt: number;
  @Column.timeToCome() endAt: number | null;
  /** The webhook's id while it runs, then null: unique, so that a webhook has one running recovery at most. */
  @Column.ascii(36, { nullable: true }) runningOf: string | null;
  /** The instance that carries it on; empty if none does. */
  @Column.fixedAscii(36, { default: '' }) heldBy: string;
}
