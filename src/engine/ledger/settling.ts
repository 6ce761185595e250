import { writeJson } from '../../platform/json/write-json.js';
import type { RowColumns, Sql } from '../../store/sql.js';
import type { TriggerStatus } from '../../store/tables/trigger/trigger.entity.js';

/** What a trigger's row becomes by the result of an attempt. Times are epoch milliseconds. */
export interface Settled {
  id: string;
  /** The lease under which the attempt was made; under any other the result does not count. */
  lease: number;
  /** The attempt's number: 1, 2, ... */
  number: number;
  status: TriggerStatus;
  beginAt: number;
  endAt: number;
  /** Null if no further attempt follows. */
  nextAttemptAt: number | null;
  /** Whether it has been `FAILED` and has not succeeded since. */
  hasFailed: boolean;
  /** Whether its webhook asks for an order. */
  ordered: boolean;
}

/** The columns of {@link settledValues}. */
export const SETTLED_COLUMNS: RowColumns = {
  status: 'word',
  number: 'integer',
  begin_at: 'integer',
  end_at: 'integer',
  next_attempt_at: 'integer',
  has_failed: 'integer',
  id: 'id',
  lease: 'integer',
};

/** In the order of {@link SETTLED_COLUMNS}, which are the parameters of {@link SETTLE_ONE}. */
export const settledValues = (settled: Settled) => [
  settled.status,
  settled.number,
  settled.beginAt,
  endOf(settled),
  settled.nextAttemptAt ?? 0,
  settled.hasFailed ? 1 : 0,
  settled.id,
  settled.lease,
];

/** Settles one trigger on SQLite, where that is faster. */
export const SETTLE_ONE = `UPDATE webhook_trigger SET status = ?, attempt_count = ?, begin_at = CASE begin_at WHEN 0 THEN ? ELSE begin_at END,
    end_at = ?, next_attempt_at = ?, has_failed = ?, cause = 'schedule', leased_by = '', lease = lease + 1
  WHERE id = ? AND lease = ?`;

/** Settles triggers in one statement. `j` is a result's row, `t` the trigger before. Its parameter: {@link settledRows}. */
export const settleRowsSql = (sql: Sql) =>
  sql.updateFromRows(
    'webhook_trigger',
    SETTLED_COLUMNS,
    {
      status: 'j.status',
      attempt_count: 'j.number',
      begin_at: 'CASE t.begin_at WHEN 0 THEN j.begin_at ELSE t.begin_at END',
      end_at: 'j.end_at',
      next_attempt_at: 'j.next_attempt_at',
      leased_by: `''`,
      cause: `'schedule'`,
      has_failed: 'j.has_failed',
      lease: 't.lease + 1',
    },
    't.id = j.id AND t.lease = j.lease',
  );

export const settledRows = (all: Settled[]) => writeJson(all.map(settledValues));

/** When the trigger ended; 0 while it waits for another attempt. */
const endOf = ({ nextAttemptAt, endAt }: Settled) => (nextAttemptAt === null ? endAt : 0);
