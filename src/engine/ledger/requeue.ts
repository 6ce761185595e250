import { writeJson } from '../../platform/json/write-json.js';
import type { Sql } from '../../store/sql.js';
import { asBefore } from './due-time.js';
import { FENCE } from './transitions.js';

/** A lease that ends without an attempt. */
export interface Requeued {
  /** The trigger's. */
  id: string;
  /** Its fencing token. */
  lease: number;
  /** Queue time. */
  dueAt: number;
  /** Whether its webhook asks for an order. */
  ordered: boolean;
}

/** Makes the triggers `t` of leases that are still valid wait again. Its parameter: {@link requeuedRows}. */
export const requeueSql = (sql: Sql) =>
  sql.updateFromRows(
    'webhook_trigger',
    { id: 'id', lease: 'integer', next_attempt_at: 'integer' },
    {
      status: `'PENDING'`,
      next_attempt_at: asBefore('j.next_attempt_at'),
      end_at: '0',
      ...FENCE,
    },
    't.id = j.id AND t.lease = j.lease',
  );

export const requeuedRows = (leases: Requeued[]) =>
  writeJson(leases.map(({ id, lease, dueAt }) => [id, lease, dueAt]));
