import { EntitySchema, type EntitySchemaColumnOptions } from 'typeorm';
import { type Columns, columnsOf } from '../../columns.js';
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

const columns = (column: Columns): Record<keyof AttemptEntity, EntitySchemaColumnOptions> => ({
  triggerId: { ...column.ascii(36), name: 'trigger_id', primary: true },
  number: { ...column.integer(), primary: true },
  beginAt: { ...column.time(), name: 'begin_at' },
  endAt: { ...column.time(), name: 'end_at' },
  phases: column.ascii(255),
  requestHead: { ...column.ascii(22), name: 'request_head', nullable: true },
  request: { ...column.text(), nullable: true },
  response: { ...column.text(), nullable: true },
  responseBody: { ...column.text(), name: 'response_body', nullable: true },
  errorCode: { ...column.ascii(32), name: 'error_code', nullable: true },
  errorMessage: { ...column.unicode(255), name: 'error_message', nullable: true },
  cause: { ...column.ascii(8), default: 'schedule' },
  errorDetail: { ...column.unicode(1024), name: 'error_detail', nullable: true },
});

/** Each property with the name of its column, which is the same on every database: for statements of our own. */
export const ATTEMPT_FIELDS = Object.entries(columns(columnsOf('sqlite'))).map(
  ([property, { name = property }]) => [property as keyof AttemptEntity, name] as const,
);

export const attemptSchema = (column: Columns) =>
  new EntitySchema<AttemptEntity>({
    name: 'AttemptEntity',
    target: AttemptEntity,
    tableName: 'webhook_attempt',
    columns: columns(column),
  });
