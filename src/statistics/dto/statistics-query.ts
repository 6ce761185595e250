import { z } from 'zod';
import { dateTime, id, kindName, oneOf, userId } from '../../rest/fields.js';
import { inputLike } from '../../rest/input.js';
import { STATISTIC_STEPS, type StatisticStep } from '../../store/tables/statistic.entity.js';

/** Which attempts to count. */
export interface StatisticsQuery {
  /** The webhook whose attempts to count. @default all webhooks of the user, those that are gone included */
  id?: string | undefined;
  /** The user whose webhooks to count. @default for an owner that is null, those of all users */
  userId?: string | undefined;
  /** The kind of event; `WEBHOOK_TEST` for tests without a kind. @default all kinds */
  eventKind?: string | undefined;
  /** The first step is the one that this time lies in. RFC 3339. @default 24 hours before `until` */
  since?: string | undefined;
  /** The last step is the one that this time lies in. RFC 3339. @default now */
  until?: string | undefined;
  /** The length of a step. Steps begin in UTC. @default hour */
  step?: StatisticStep | undefined;
}

export const statisticsQuery = z.strictObject({
  id: id.optional(),
  event_kind: kindName.optional(),
  since: dateTime.optional(),
  until: dateTime.optional(),
  step: oneOf(STATISTIC_STEPS).default('hour').meta({ description: '`hour` unless given' }),
  user_id: userId.optional(),
});
export type StatisticsRestQuery = z.infer<typeof statisticsQuery>;
export const statisticsInput = inputLike(statisticsQuery);
