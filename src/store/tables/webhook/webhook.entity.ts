import { EntitySchema } from 'typeorm';
import type { SignatureScheme } from '../../../platform/secret/signing-secret.js';
import type { Columns } from '../../columns.js';

/** Why the service itself disabled a webhook; null if its owner did, or if it is enabled. */
export type DisabledReason = 'gone' | 'failing';

/** A row of `webhook`: where to send notifications. */
export class WebhookEntity {
  id: string;
  userId: string;
  name: string;
  url: string;
  enabled: boolean;
  description: string | null;
  /** The headers as a JSON object, encrypted because values may be credentials. */
  sealedHeaders: string;
  /** How it authenticates to its receiver, as JSON, encrypted; null if it does not. */
  sealedAuthentication: string | null;
  /** Its certificate, key and authorities for TLS, as JSON, encrypted; null for those of the service. */
  sealedTls: string | null;
  /** The signing secret, encrypted. */
  sealedSecret: string;
  /** The previous secrets that may still sign, newest first, each with its end: JSON, encrypted. */
  sealedPreviousSecrets: string | null;
  disabledReason: DisabledReason | null;
  /**
   * Incremented when the owner changes the URL or switches the webhook on or off: earlier attempts then say nothing
   * about its current health.
   */
  generation: number;
  /** Start of the span in which every attempt failed; null after a success. Epoch milliseconds. */
  failingSince: number | null;
  /** How many consecutive quarters of the span after which it is disabled, from its start, have had a failed attempt. */
  failingQuarters: number;
  /** Until when its receiver is left alone, or was; null if not. Epoch milliseconds. */
  pausedUntil: number | null;
  /** Whether an attempt has succeeded since the webhook was made, switched, or pointed elsewhere. */
  delivered: boolean;
  /**
   * When it was made, switched, or pointed elsewhere, or since when attempts have failed, or succeeded: whichever was last. Epoch
   * milliseconds; 0 if a version without it has written the row.
   */
  stateSince: number;
  /** When the last pause of its receiver began. Epoch milliseconds. */
  pausedSince: number | null;
  /** The trigger whose attempt failed last; null if none did since the webhook was made, switched, or pointed elsewhere. */
  lastFailedId: string | null;
  /**
   * The id of the oldest notification that failed since the last success, or that was cancelled when the webhook was disabled
   * for its failures. Null if it is neither failing nor disabled for that.
   */
  recoverFrom: string | null;
  /** When to go on with the probing of a webhook that was disabled as `failing`; null if it is not probed. */
  probeAt: number | null;
  /** The trigger that it is being probed with; null between two probes. */
  probeId: string | null;
  /** Probes so far. */
  probes: number;
  /** When the service disabled it, until the application has been told; null otherwise. Epoch milliseconds. */
  disabledEventPendingSince: number | null;
  /** The name that the user gave it for provisioning: no two of a user's webhooks have the same. */
  uid: string | null;
  /** A JSON object of strings; null for an empty one. */
  metadata: string | null;
  /** How requests are signed. */
  signatureScheme: SignatureScheme;
  /** A JSON object of the settings that are not the service's; null for none. */
  settings: string | null;
  createdAt: number;
  updatedAt: number;
}

export const webhookSchema = (column: Columns) =>
  new EntitySchema<WebhookEntity>({
    name: 'WebhookEntity',
    target: WebhookEntity,
    tableName: 'webhook',
    columns: {
      id: { ...column.ascii(36), primary: true },
      userId: { ...column.unicode(128), name: 'user_id' },
      name: column.unicode(128),
      url: column.unicode(2048),
      enabled: column.boolean(),
      description: { ...column.unicode(1024), nullable: true },
      sealedHeaders: { ...column.text(), name: 'sealed_headers' },
      sealedAuthentication: { ...column.text(), name: 'sealed_authentication', nullable: true },
      sealedTls: { ...column.text(), name: 'sealed_tls', nullable: true },
      sealedSecret: { ...column.ascii(512), name: 'sealed_secret' },
      sealedPreviousSecrets: { ...column.ascii(2048), name: 'sealed_previous_secrets', nullable: true },
      disabledReason: { ...column.ascii(16), name: 'disabled_reason', nullable: true },
      generation: { ...column.integer(), default: 0 },
      failingSince: { ...column.time(), name: 'failing_since', nullable: true },
      failingQuarters: { ...column.integer(), name: 'failing_quarters', default: 0 },
      pausedUntil: { ...column.time(), name: 'paused_until', nullable: true },
      delivered: { ...column.boolean(), default: false },
      stateSince: { ...column.time(), name: 'state_since', default: 0 },
      pausedSince: { ...column.time(), name: 'paused_since', nullable: true },
      lastFailedId: { ...column.ascii(36), name: 'last_failed_id', nullable: true },
      recoverFrom: { ...column.ascii(36), name: 'recover_from', nullable: true },
      probeAt: { ...column.time(), name: 'probe_at', nullable: true },
      probeId: { ...column.ascii(36), name: 'probe_id', nullable: true },
      probes: { ...column.integer(), default: 0 },
      disabledEventPendingSince: { ...column.time(), name: 'disabled_event_pending_since', nullable: true },
      uid: { ...column.unicode(128), nullable: true },
      metadata: { ...column.text(), nullable: true },
      signatureScheme: { ...column.ascii(32), name: 'signature_scheme', default: 'standard' },
      settings: { ...column.ascii(1024), nullable: true },
      createdAt: { ...column.time(), name: 'created_at' },
      updatedAt: { ...column.time(), name: 'updated_at' },
    },
    indices: [
      { name: 'webhook_uid', columns: ['userId', 'uid'], unique: true },
      { name: 'webhook_user', columns: ['userId', 'id'] },
      { name: 'webhook_disabled_event_pending', columns: ['disabledEventPendingSince'] },
      { name: 'webhook_probe', columns: ['probeAt'] },
      // For the metrics; few webhooks are in them.
      { name: 'webhook_failing', columns: ['failingSince', 'enabled'] },
      { name: 'webhook_disabled', columns: ['disabledReason'] },
    ],
  });
