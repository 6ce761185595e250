import { EntitySchema } from 'typeorm';
import type { Columns } from '../columns.js';

/** The steps in which attempts are counted. */
export const STATISTIC_STEPS = ['minute', 'hour', 'day'] as const;
/** A step in which attempts are counted; steps begin in UTC. */
export type StatisticStep = (typeof STATISTIC_STEPS)[number];

/**
 * A row of `webhook_statistic`: how many attempts of a webhook and a kind ended in one step, and how. An attempt is counted in
 * its minute, its hour and its day, and in each of them for its webhook, for all webhooks of the user and for all users, with
 * the kind and for all kinds.
 */
export class StatisticEntity {
  /** Empty for all users. */
  userId: string;
  /** Empty for all of the user's webhooks, those that are gone included. */
  webhookId: string;
  /** Empty for all kinds. */
  eventKind: string;
  step: StatisticStep;
  /** When the step begins. Epoch milliseconds. */
  beginAt: number;
  /** JSON. */
  counts: string;
}

export const statisticSchema = (column: Columns) =>
  new EntitySchema<StatisticEntity>({
    name: 'StatisticEntity',
    target: StatisticEntity,
    tableName: 'webhook_statistic',
    // A span is read from one place, and each row is stored once.
    withoutRowid: true,
    columns: {
      userId: { ...column.unicode(128), name: 'user_id', primary: true },
      webhookId: { ...column.ascii(36), name: 'webhook_id', primary: true },
      eventKind: { ...column.ascii(64), name: 'event_kind', primary: true },
      step: { ...column.ascii(6), primary: true },
      beginAt: { ...column.time(), name: 'begin_at', primary: true },
      counts: column.text(),
    },
    indices: [{ name: 'webhook_statistic_age', columns: ['step', 'beginAt'] }],
  });
