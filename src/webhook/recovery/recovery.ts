import { toDateTime } from '../../platform/json/json-time.js';
import type { PageQuery } from '../../rest/input.js';
import type { RecoveryEntity, RecoveryState } from '../../store/tables/webhook/recovery.entity.js';

/** What to recover: what was made for a webhook in a span of time, both ends included. */
export interface RecoveryRequest {
  /** The webhook's id. */
  id: string;
  /** RFC 3339. */
  since: string;
  /** RFC 3339. A later time than now means now. @default now */
  until?: string | undefined;
  /** Whether to send also what the webhook never got a trigger for. @default false */
  missed?: boolean | undefined;
  /** Triggers made due per second, 1 to 1000. @default 10 */
  perSecond?: number | undefined;
  /** If true, only counts and changes nothing. @default false */
  dryRun?: boolean | undefined;
}

/** Which recoveries to list. */
export interface RecoveryQuery extends PageQuery {
  /** The webhook that they recover, which may be deleted. */
  webhookId?: string | undefined;
}

/** Sending again what a webhook missed; on a dry run only the number. */
export interface Recovery {
  /** The same as `total`. */
  triggers: number;
  /** UUIDv7; null on a dry run. */
  id: string | null;
  /** UUIDv7. */
  webhookId: string;
  /** `RUNNING`, `DONE`, or `STOPPED` by a call or because the webhook is off or gone; null on a dry run. */
  state: RecoveryState | null;
  /** How many triggers it is to make due. With some millions of them it goes on growing while they are counted. */
  total: number;
  /** How many it has made due. */
  done: number;
  /** RFC 3339, UTC, milliseconds. */
  since: string;
  /** RFC 3339, UTC, milliseconds. */
  until: string;
  /** Whether it includes what the webhook never got a trigger for. */
  missed: boolean;
  /** Triggers made due per second. */
  perSecond: number;
  /** RFC 3339, UTC, milliseconds; null on a dry run. */
  begin: string | null;
  /** When it was done or stopped; null until then. RFC 3339, UTC, milliseconds. */
  end: string | null;
}

/** What services answer for a stored recovery. */
export const recoveryOf = (row: RecoveryEntity): Recovery => ({
  triggers: row.total,
  id: row.id,
  webhookId: row.webhookId,
  state: row.state,
  total: row.total,
  done: row.done,
  since: toDateTime(row.since),
  until: toDateTime(row.until),
  missed: row.missed,
  perSecond: row.perSecond,
  begin: toDateTime(row.beginAt),
  end: row.endAt === null ? null : toDateTime(row.endAt),
});

/** What a dry run answers. */
export const dryRunOf = (row: RecoveryEntity): Recovery => ({
  ...recoveryOf(row),
  id: null,
  state: null,
  begin: null,
});
