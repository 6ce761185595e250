import { EntitySchema } from 'typeorm';
import type { Columns } from '../../columns.js';

/**
 * A row of `webhook_decision_set`: which webhooks of a user did not get a notification, and why. Notifications name the set
 * by its content's hash, so nearly all of a user's share a few.
 */
export class DecisionSetEntity {
  /** A hash of the content. */
  id: string;
  /** JSON. */
  decisions: string;
  /** When it was last stored; a set in use is stored again from time to time. Epoch milliseconds. */
  storedAt: number;
}

export const decisionSetSchema = (column: Columns) =>
  new EntitySchema<DecisionSetEntity>({
    name: 'DecisionSetEntity',
    target: DecisionSetEntity,
    tableName: 'webhook_decision_set',
    columns: {
      id: { ...column.ascii(22), primary: true },
      decisions: column.longText(),
      storedAt: { ...column.time(), name: 'stored_at' },
    },
    indices: [{ name: 'webhook_decision_set_age', columns: ['storedAt'] }],
  });
