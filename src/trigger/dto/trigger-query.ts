import { z } from 'zod';
import { dateTime, id, line, paging, userId } from '../../rest/fields.js';
import { queryLike } from '../../rest/input.js';
import { TRIGGER_STATUSES } from '../trigger.entity.js';

export const triggerListQuery = z.strictObject({
  webhook_id: id.optional(),
  event_id: id.optional(),
  event_kind: line(64).optional(),
  status: z.enum(TRIGGER_STATUSES, { error: `must be one of ${TRIGGER_STATUSES.join(', ')}` }).optional(),
  notification_id: id.optional(),
  since: dateTime.optional(),
  until: dateTime.optional(),
  user_id: userId.optional(),
  include: z.literal('data', { error: 'must be "data" where given' }).optional(),
  ...paging,
});
export type TriggerListQuery = z.infer<typeof triggerListQuery>;
export const triggerListInput = queryLike(triggerListQuery);

export const attemptListQuery = z.strictObject({ trigger_id: id, ...paging });
export type AttemptListQuery = z.infer<typeof attemptListQuery>;
export const attemptListInput = queryLike(attemptListQuery);

export const retryTriggerBody = z.strictObject({ id });
export type RetryTriggerBody = z.infer<typeof retryTriggerBody>;
