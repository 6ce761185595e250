import type { SignatureScheme } from '../../../platform/secret/signing-secret.js';
import { Column, Table } from '../../table.js';

/** Why the service itself disabled a webhook; null if its owner did, or if it is enabled. */
export type DisabledReason = 'gone' | 'failing';

/** A row of `webhook`: where to send notifications. */
@Table('webhook', {
  indices: [
    { name: 'webhook_uid', columns: ['userId', 'uid'], unique: true },
    { name: 'webhook_user', columns: ['userId', 'id'] },
    { name: 'webhook_disabled_event_pending', columns: ['disabledEventPendingSince'] },
    { name: 'webhook_probe', columns: ['probeAt'] },
    // For the metrics; few webhooks are in them.
    { name: 'webhook_failing', columns: ['failingSince', 'enabled'] },
    { name: 'webhook_disabled', columns: ['disabledReason'] },
  ],
})
export class WebhookEntity {
  @Column.ascii(36, { primary: true }) id: string;
  @Column.unicode(128) userId: string;
  @Column.unicode(128) name: string;
  @Column.unicode(2048) url: string;
  @Column.boolean() enabled: boolean;
  @Column.unicode(1024, { nullable: true }) description: string | null;
  /** The headers as a JSON object, encrypted because values may be credentials. */
  @Column.text() sealedHeaders: string;
  /** How it authenticates to its receiver, as JSON, encrypted; null if it does not. */
  @Column.text({ nullable: true }) sealedAuthentication: string | null;
  /** Its certificate, key and authorities for TLS, as JSON, encrypted; null for those of the service. */
  @Column.text({ nullable: true }) sealedTls: string | null;
  /** The signing secret, encrypted. */
  @Column.ascii(512) sealedSecret: string;
  /** The previous secrets that may still sign, newest first, each with its end: JSON, encrypted. */
  @Column.ascii(2048, { nullable: true }) sealedPreviousSecrets: string | null;
  @Column.ascii(16, { nullable: true }) disabledReason: DisabledReason | null;
  /**
   * Incremented when the owner changes the URL or switches the webhook on or off: earlier attempts then say nothing
   * about its current health.
   */
  @Column.integer({ default: 0 }) generation: number;
  /** Start of the span in which every attempt failed; null after a success. Epoch milliseconds. */
  @Column.time({ nullable: true }) failingSince: number | null;
  /** How many consecutive quarters of the span after which it is disabled, from its start, have had a failed attempt. */
  @Column.integer({ default: 0 }) failingQuarters: number;
  /** Until when its receiver is left alone, or was; null if not. Epoch milliseconds. */
  @Column.time({ nullable: true }) pausedUntil: number | null;
  /** Whether an attempt has succeeded since the webhook was made, switched, or pointed elsewhere. */
  @Column.boolean({ default: false }) delivered: boolean;
  /**
   * When it was made, switched, or pointed elsewhere, or since when attempts have failed, or succeeded: whichever was last. Epoch
   * milliseconds; 0 if a version without it has written the row.
   */
  @Column.time({ default: 0 }) stateSince: number;
  /** When the last pause of its receiver began. Epoch milliseconds. */
  @Column.time({ nullable: true }) pausedSince: number | null;
  /** The trigger whose attempt failed last; null if none did since the webhook was made, switched, or pointed elsewhere. */
  @Column.ascii(36, { nullable: true }) lastFailedId: string | null;
  /**
   * The id of the oldest notification that failed since the last success, or that was cancelled when the webhook was disabled
   * for its failures. Null if it is neither failing nor disabled for that.
   */
  @Column.ascii(36, { nullable: true }) recoverFrom: string | null;
  /** When to go on with the probing of a webhook that was disabled as `failing`; null if it is not probed. */
  @Column.time({ nullable: true }) probeAt: number | null;
  /** The trigger that it is being probed with; null between two probes. */
  @Column.ascii(36, { nullable: true }) probeId: string | null;
  /** Probes so far. */
  @Column.integer({ default: 0 }) probes: number;
  /** When the service disabled it, until the application has been told; null otherwise. Epoch milliseconds. */
  @Column.time({ nullable: true }) disabledEventPendingSince: number | null;
  /** The name that the user gave it for provisioning: no two of a user's webhooks have the same. */
  @Column.unicode(128, { nullable: true }) uid: string | null;
  /** A JSON object of strings; null for an empty one. */
  @Column.text({ nullable: true }) metadata: string | null;
  /** How requests are signed. */
  @Column.ascii(32, { default: 'standard' }) signatureScheme: SignatureScheme;
  /** A JSON object of the settings that are not the service's; null for none. */
  @Column.ascii(1024, { nullable: true }) settings: string | null;
  @Column.time() createdAt: number;
  @Column.time() updatedAt: number;
}
