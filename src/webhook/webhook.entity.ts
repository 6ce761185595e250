import { EntitySchema } from 'typeorm';
import type { Columns } from '../database/columns.js';

/** Why the service itself switched a webhook off; null where its owner did, or where it is on. */
export type DisabledReason = 'gone' | 'failing';

/** A row of `webhook`: where to send. */
export class WebhookEntity {
  id: string;
  userId: string;
  name: string;
  url: string;
  enabled: boolean;
  description: string | null;
  /** The headers as a JSON object, encrypted: their values may be credentials. */
  sealedHeaders: string;
  /** The signing secret, encrypted. */
  sealedSecret: string;
  /** The secrets rotated out that may still sign, each with its end, the newest first, as JSON, encrypted. */
  sealedPreviousSecrets: string | null;
  disabledReason: DisabledReason | null;
  /**
   * Raised when its owner points it elsewhere, or switches it on or off: what came of an attempt that was made before says
   * nothing of it as it is now.
   */
  generation: number;
  /** Since when every attempt has failed; null after a success. Epoch milliseconds. */
  failingSince: number | null;
  /** In how many quarters of the span that makes it `failing` an attempt failed, from the first on, without a gap. */
  failingQuarters: number;
  /** When the service switched it off, until the application has been told; null otherwise. Epoch milliseconds. */
  untoldSince: number | null;
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
      sealedSecret: { ...column.ascii(512), name: 'sealed_secret' },
      sealedPreviousSecrets: { ...column.ascii(2048), name: 'sealed_previous_secrets', nullable: true },
      disabledReason: { ...column.ascii(16), name: 'disabled_reason', nullable: true },
      generation: { ...column.integer(), default: 0 },
      failingSince: { ...column.time(), name: 'failing_since', nullable: true },
      failingQuarters: { ...column.integer(), name: 'failing_quarters', default: 0 },
      untoldSince: { ...column.time(), name: 'untold_since', nullable: true },
      createdAt: { ...column.time(), name: 'created_at' },
      updatedAt: { ...column.time(), name: 'updated_at' },
    },
    indices: [
      { name: 'webhook_user', columns: ['userId', 'id'] },
      { name: 'webhook_untold', columns: ['untoldSince'] },
    ],
  });
