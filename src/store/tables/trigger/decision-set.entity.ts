import { Column, Table } from '../../table.js';

/**
 * A row of `webhook_decision_set`: which webhooks of a user did not get a notification, and why. Notifications name the set
 * by its content's hash, so nearly all of a user's share a few.
 */
@Table('webhook_decision_set', {
  indices: [{ name: 'webhook_decision_set_age', columns: ['storedAt'] }],
})
export class DecisionSetEntity {
  /** A hash of the content. */
  @Column.ascii(22, { primary: true }) id: string;
  /** JSON. */
  @Column.longText() decisions: string;
  /** When it was last stored; a set in use is stored again from time to time. Epoch milliseconds. */
  @Column.time() storedAt: number;
}
