import { EntitySchema } from 'typeorm';
import type { Columns } from '../../columns.js';

/** A row of `webhook_ordering_mark`: something happened to a trigger, and its group has to be reconciled. */
export class OrderingMarkEntity {
  id: number;
  triggerId: string;
}

export const orderingMarkSchema = (column: Columns) =>
  new EntitySchema<OrderingMarkEntity>({
    name: 'OrderingMarkEntity',
    target: OrderingMarkEntity,
    tableName: 'webhook_ordering_mark',
    columns: {
      id: { ...column.serial(), primary: true, generated: 'increment' },
      triggerId: { ...column.ascii(36), name: 'trigger_id' },
    },
  });
