import { SKIP_REASONS } from '../../engine/accept/decision-set.js';
import type { StoredJson } from '../../platform/json/stored-json.js';
import { answerOf, Field, listOf, time, timeOrNull, uuid } from '../../rest/answer.js';
import { ApiSchema } from '../../rest/docs.js';
import type {
  Notification,
  NotificationDecision,
  NotificationDetail,
  TriggerCounts,
} from '../notification.js';

@ApiSchema({ description: 'How many triggers are in each state' })
class WebhookTriggerCountsDto extends answerOf<TriggerCounts>({
  pending: { example: 0 },
  delivering: { example: 0 },
  succeeded: { example: 2 },
  failed: { example: 1 },
  cancelled: { example: 0 },
}) {}

@ApiSchema({ description: 'A lifecycle event that was reported' })
class WebhookNotificationDto extends answerOf<Notification>({
  id: {
    ...uuid,
    example: '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b45',
    description: 'Sent to the receivers as webhook-id',
  },
  user_id: { example: 'acme' },
  event_kind: { example: 'RECORD_FINISHED' },
  record_id: { type: String, nullable: true, example: 'rec_1', description: 'The `id` of the record' },
  triggered_at: time,
  erased_at: { ...timeOrNull, example: null, description: 'When the record was erased' },
  triggers: { type: WebhookTriggerCountsDto },
}) {}

@ApiSchema({ description: 'A page of notifications, newest first' })
export class WebhookNotificationListDto extends listOf(WebhookNotificationDto) {}

@ApiSchema({ description: 'Whether a webhook got a notification, and if not, why' })
export class WebhookDecisionDto extends answerOf<NotificationDecision>({
  webhook_id: uuid,
  name: { type: String, nullable: true, example: 'CRM sync', description: 'null if the webhook is deleted' },
  outcome: { enum: ['triggered', ...SKIP_REASONS], example: 'triggered' },
  reason: {
    required: false,
    example: '/analysis.status does not match',
    description: 'For `filtered`: the part of the filter that did not match',
  },
  trigger_id: {
    ...uuid,
    nullable: true,
    example: '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b46',
    description: 'null unless it is triggered',
  },
}) {}

@ApiSchema({ description: 'A lifecycle event that was reported, and what was decided about each webhook' })
export class WebhookNotificationDetailDto extends WebhookNotificationDto {
  @Field({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description:
      'The record as it is sent, character for character; null once it is erased or past its retention',
    example: { id: 'rec_1', analysis: [{ id: 'ana_1', status: 'VALID' }] },
  })
  /** A mark of {@link StoredJson}. */
  data: string | null;
  @Field({
    type: [WebhookDecisionDto],
    description:
      'One for each webhook that the user had then; deleted ones are left out unless they were triggered',
  })
  decisions: WebhookDecisionDto[];
}

/** With the record as a mark. @param stored takes the record. */
export const withMark = (notification: NotificationDetail, stored: StoredJson): NotificationDetail => ({
  ...notification,
  data: notification.data === null ? null : stored.markOf(notification.data),
});
