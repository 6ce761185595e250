import { EntitySchema } from 'typeorm';
import type { Columns } from '../columns.js';

/** A row of `webhook_lock`: whoever writes it has the locks whose names have this number. SQLite needs none. */
export class LockEntity {
  number: number;
  /** Makes each taking a change, so that two nodes of a cluster that take it at once conflict. */
  uses: number;
}

export const lockSchema = (column: Columns) =>
  new EntitySchema<LockEntity>({
    name: 'LockEntity',
    target: LockEntity,
    tableName: 'webhook_lock',
    columns: {
      number: { ...column.integer(), primary: true },
      uses: column.integer(),
    },
  });
