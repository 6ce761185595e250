import { Column, Table } from '../table.js';

/** The steps in which attempts are counted. */
export const STATISTIC_STEPS = ['minute', 'hour', 'day'] as const;
/** A step in which attempts are counted; steps begin in UTC. */
export type StatisticStep = (typeof STATISTIC_STEPS)[number];

/**
 * A row of `webhook_statistic`: how many attempts of a webhook and a kind ended in one step, and how. An attempt is counted in
 * its minute, its hour and its day, and in each of them for its webhook, for all webhooks of the user and for all users, with
 * the kind and for all kinds.
 */
@Table('webhook_statistic', {
  // A span is read from one place, and each row is stored once.
  withoutRowid: true,
  indices: [{ name: 'webhook_statistic_age', columns: ['step', 'beginAt'] }],
})
export class StatisticEntity {
  /** Empty for all users. */
  @Column.unicode(128, { primary: true }) userId: string;
  /** Empty for all of the user's webhooks, those that are gone included. */
  @Column.ascii(36, { primary: true }) webhookId: string;
  /** Empty for all kinds. */
  @Column.ascii(64, { primary: true }) eventKind: string;
  @Column.ascii(6, { primary: true }) step: StatisticStep;
  /** When the step begins. Epoch milliseconds. */
  @Column.time({ primary: true }) beginAt: number;
  /** JSON. */
  @Column.text() counts: string;
}
