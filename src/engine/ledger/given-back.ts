import type { Dialect } from '../../store/columns.js';
import { updateFromRows } from '../../store/json-rows.js';
import { FENCE } from './transitions.js';

/** A lease that is given back without an attempt. */
export interface GivenBack {
  /** The trigger's. */
  id: string;
  /** The fencing token under which it is held. */
  lease: number;
  /** Queue time. */
  dueAt: number;
  /** Whether the trigger stands in a line. */
  lined: boolean;
}

/** Makes the triggers `t` of leases that are still held wait again. Its parameter: {@link givenBackRows}. */
export const giveBackSql = (dialect: Dialect) =>
  updateFromRows(
    dialect,
    'webhook_trigger',
    { id: 'id', lease: 'integer', next_attempt_at: 'integer' },
    {
      status: `'PENDING'`,
      next_attempt_at: 'j.next_attempt_at',
      end_at: '0',
      ...FENCE,
    },
    't.id = j.id AND t.lease = j.lease',
  );

export const givenBackRows = (leases: GivenBack[]) =>
  JSON.stringify(leases.map(({ id, lease, dueAt }) => [id, lease, dueAt]));
