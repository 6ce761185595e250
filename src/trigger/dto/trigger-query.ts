import { z } from 'zod';
import { asciiLine, dateTime, id, oneOf, paging, userId } from '../../rest/fields.js';
import { type PageQuery, queryLike } from '../../rest/input.js';
import { TRIGGER_STATUSES, type TriggerStatus } from '../../store/tables/trigger/trigger.entity.js';

/** Which triggers to list. Each field but `include` narrows the list. */
export interface TriggerQuery extends PageQuery {
  /** The user whose webhooks they are for. */
  userId?: string | undefined;
  /** Their webhook, which may be deleted. */
  webhookId?: string | undefined;
  /** Their event, which may be deleted. */
  eventId?: string | undefined;
  /** Their kind; `WEBHOOK_TEST` for tests without a kind. */
  eventKind?: string | undefined;
  /** In this state. */
  status?: TriggerStatus | undefined;
  /** The notification that they are of. */
  notificationId?: string | undefined;
  /** Made at this time or later. RFC 3339. */
  since?: string | undefined;
  /** Made at this time or earlier. RFC 3339. */
  until?: string | undefined;
  /** `data` shows the bodies of requests and responses. @default without them */
  include?: 'data' | undefined;
}

/** Which attempts to list. */
export interface AttemptQuery extends PageQuery {
  /** The trigger whose attempts to list. */
  triggerId: string;
}

export const triggerListQuery = z.strictObject({
  webhook_id: id.optional(),
  event_id: id.optional(),
  event_kind: asciiLine(64).optional(),
  status: oneOf(TRIGGER_STATUSES).optional(),
  notification_id: id.optional(),
  since: dateTime.optional(),
  until: dateTime.optional(),
  user_id: userId.optional(),
  include: z.literal('data', { error: 'must be "data" where given' }).optional(),
  ...paging,
});
export type TriggerListQuery = z.infer<typeof triggerListQuery>;
export const triggerListInput = queryLike(triggerListQuery);

export const triggerStreamQuery = triggerListQuery.pick({
  webhook_id: true,
  event_kind: true,
  status: true,
  user_id: true,
});
export type TriggerStreamQuery = z.infer<typeof triggerStreamQuery>;

export const attemptListQuery = z.strictObject({ trigger_id: id, ...paging });
export type AttemptListQuery = z.infer<typeof attemptListQuery>;
export const attemptListInput = queryLike(attemptListQuery);

const MANY = { error: 'must be an array of 1 to 100 ids' };
const ids = z.array(id, MANY).min(1, MANY).max(100, MANY);

export const retryOneBody = z.strictObject({ id });
export const retryManyBody = z.strictObject({ ids });

export const retryTriggerBody = z
  .strictObject({ id: id.optional(), ids: ids.optional() })
  .refine((body) => (body.id === undefined) !== (body.ids === undefined), {
    error: 'must name either one trigger with "id" or up to 100 with "ids"',
  });
export type RetryTriggerBody = z.infer<typeof retryTriggerBody>;
