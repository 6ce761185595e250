import { Column, columnName, Table } from '../../table.js';
import type { AttemptCause } from './trigger.entity.js';

/** A row of `webhook_attempt`: one request of a trigger and its result. */
@Table('webhook_attempt')
export class AttemptEntity {
  @Column.ascii(36, { primary: true }) triggerId: string;
  /** 1, 2, ... as sent in `webhook-attempt`. */
  @Column.integer({ primary: true }) number: number;
  @Column.time() beginAt: number;
  @Column.time() endAt: number;
  /** JSON: milliseconds from the attempt's start to the end of `dns`, `connect`, `tls` and `headers`. */
  @Column.ascii(255) phases: string;
  /** The id of the request head, the part shared with other requests. Null, like `request`, if the request is not stored. */
  @Column.ascii(22, { nullable: true }) requestHead: string | null;
  /** The header values that are this request's own, joined. */
  @Column.text({ nullable: true }) request: string | null;
  /** JSON `{ status, headers, truncated }`; `truncated` is left out if it is false. */
  @Column.text({ nullable: true }) response: string | null;
  @Column.text({ nullable: true }) responseBody: string | null;
  @Column.ascii(32, { nullable: true }) errorCode: string | null;
  @Column.unicode(255, { nullable: true }) errorMessage: string | null;
  @Column.ascii(8, { default: 'schedule' }) cause: AttemptCause;
  /** JSON: what is known of the error beyond its message, such as when a certificate ended. */
  @Column.unicode(1024, { nullable: true }) errorDetail: string | null;
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

/** A column that is new has to say what it holds. */
const HOLDS: Record<keyof AttemptEntity, Content> = {
  triggerId: 'ours',
  number: 'ours',
  beginAt: 'ours',
  endAt: 'ours',
  phases: 'ours',
  requestHead: 'request',
  request: 'request',
  response: 'answer',
  responseBody: 'answer',
  errorCode: 'ours',
  errorMessage: 'detail',
  cause: 'ours',
  errorDetail: 'detail',
};

/** Each property with the name of its column, and what it holds: for statements of our own. */
export const ATTEMPT_FIELDS = Object.entries(HOLDS).map(
  ([property, holds]) => [property as keyof AttemptEntity, columnName(property), holds] as const,
);
