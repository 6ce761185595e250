import { EntitySchema, type EntitySchemaColumnOptions } from 'typeorm';
import type { Columns } from '../../columns.js';
import { sqliteColumns } from '../../sqlite/sqlite-columns.js';
import type { AttemptCause } from './trigger.entity.js';

/** A row of `webhook_attempt`: one request of a trigger and its result. */
export class AttemptEntity {
  triggerId: string;
  /** 1, 2, ... as sent in `webhook-attempt`. */
  number: number;
  beginAt: number;
  endAt: number;
  /** JSON: milliseconds from the attempt's start to the end of `dns`, `connect`, `tls` and `headers`. */
  phases: string;
  /** The id of the request head, the part shared with other requests. Null, like `request`, if the request is not stored. */
  requestHead: string | null;
  /** The header values that are this request's own, joined. */
  request: string | null;
  /** JSON `{ status, headers, truncated }`; `truncated` is left out if it is false. */
  response: string | null;
  responseBody: string | null;
  errorCode: string | null;
  errorMessage: string | null;
  cause: AttemptCause;
  /** JSON: what is known of the error beyond its message, such as when a certificate ended. */
  errorDetail: string | null;
}

/**
 * Whose words a column of an attempt holds, and so when they go:
 *
 * - `ours`: nothing of a record, nor of a receiver. It stays as long as the row.
 * - `request`: what was sent. It goes with the payload, by retention or erasure.
 * - `answer`: what the receiver sent, which may repeat the request. It goes with the payload, and where a database refuses it.
 * - `detail`: what is known of an error, which may quote the answer. It is erased, and left out where a database refuses it.
 */
export type Content = 'ours' | 'request' | 'answer' | 'detail';

/** One that is new has to say what it holds. */
type AttemptColumn = EntitySchemaColumnOptions & { holds: Content };

const columns = (column: Columns): Record<keyof AttemptEntity, AttemptColumn> => ({
  triggerId: { ...column.ascii(36), name: 'trigger_id', primary: true, holds: 'ours' },
  number: { ...column.integer(), primary: true, holds: 'ours' },
  beginAt: { ...column.time(), name: 'begin_at', holds: 'ours' },
  endAt: { ...column.time(), name: 'end_at', holds: 'ours' },
  phases: { ...column.ascii(255), holds: 'ours' },
  requestHead: { ...column.ascii(22), name: 'request_head', nullable: true, holds: 'request' },
  request: { ...column.text(), nullable: true, holds: 'request' },
  response: { ...column.text(), nullable: true, holds: 'answer' },
  responseBody: { ...column.text(), name: 'response_body', nullable: true, holds: 'answer' },
  errorCode: { ...column.ascii(32), name: 'error_code', nullable: true, holds: 'ours' },
  errorMessage: { ...column.unicode(255), name: 'error_message', nullable: true, holds: 'detail' },
  cause: { ...column.ascii(8), default: 'schedule', holds: 'ours' },
  errorDetail: { ...column.unicode(1024), name: 'error_detail', nullable: true, holds: 'detail' },
});

/** Each property with the name of its column, which is the same on every database, and what it holds: for statements of our own. */
export const ATTEMPT_FIELDS = Object.entries(columns(sqliteColumns)).map(
  ([property, { name = property, holds }]) => [property as keyof AttemptEntity, name, holds] as const,
);

export const attemptSchema = (column: Columns) =>
  new EntitySchema<AttemptEntity>({
    name: 'AttemptEntity',
    target: AttemptEntity,
    tableName: 'webhook_attempt',
    columns: columns(column),
  });
