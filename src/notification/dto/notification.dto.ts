import { SKIP_REASONS } from '../../engine/accept/decision-set.js';
import type { StoredJson } from '../../platform/json/stored-json.js';
import { ApiSchema } from '../../rest/docs.js';
import { Field, nextCursor, toAnswer } from '../../rest/fields.js';
import type { DecisionOutcome, Notification, NotificationDetail } from '../notification.js';

const OUTCOMES = ['triggered', ...SKIP_REASONS];

@ApiSchema({ description: 'How many triggers are in each state' })
export class WebhookTriggerCountsDto {
  @Field({ example: 0 })
  pending: number;
  @Field({ example: 0 })
  delivering: number;
  @Field({ example: 2 })
  succeeded: number;
  @Field({ example: 1 })
  failed: number;
  @Field({ example: 0 })
  cancelled: number;
}

@ApiSchema({ description: 'A lifecycle event that was reported' })
export class WebhookNotificationDto {
  @Field({
    format: 'uuid',
    example: '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b45',
    description: 'Sent to the receivers as webhook-id',
  })
  id: string;
  @Field({ example: 'acme' })
  user_id: string;
  @Field({ example: 'RECORD_FINISHED' })
  event_kind: string;
  @Field({ type: String, nullable: true, example: 'rec_1', description: 'The `id` of the record' })
  record_id: string | null;
  @Field({ format: 'date-time', example: '2026-11-21T10:15:30.123Z' })
  triggered_at: string;
  @Field({
    type: String,
    format: 'date-time',
    nullable: true,
    example: null,
    description: 'When the record was erased',
  })
  erased_at: string | null;
  @Field({ type: WebhookTriggerCountsDto })
  triggers: WebhookTriggerCountsDto;
}

@ApiSchema({ description: 'A page of notifications, newest first' })
export class WebhookNotificationListDto {
  @Field({ type: [WebhookNotificationDto] })
  data: WebhookNotificationDto[];
  @Field(nextCursor)
  next_cursor: string | null;
}

@ApiSchema({ description: 'Whether a webhook got a notification, and if not, why' })
export class WebhookDecisionDto {
  @Field({ format: 'uuid', example: '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42' })
  webhook_id: string;
  @Field({ type: String, nullable: true, example: 'CRM sync', description: 'null if the webhook is deleted' })
  name: string | null;
  @Field({ enum: OUTCOMES, example: 'triggered' })
  outcome: DecisionOutcome;
  @Field({
    required: false,
    example: '/analysis.status does not match',
    description: 'For `filtered`: the part of the filter that did not match',
  })
  reason?: string;
  @Field({
    type: String,
    format: 'uuid',
    nullable: true,
    example: '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b46',
    description: 'null unless it is triggered',
  })
  trigger_id: string | null;
}

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

export const toNotificationDto = (notification: Notification): WebhookNotificationDto =>
  toAnswer(WebhookNotificationDto, notification);

/** @param stored takes the record. */
export const toNotificationDetailDto = (
  { data, decisions, ...notification }: NotificationDetail,
  stored: StoredJson,
): WebhookNotificationDetailDto =>
  toAnswer(WebhookNotificationDetailDto, {
    ...notification,
    data: data === null ? null : stored.markOf(data),
    // By hand, because a user may have thousands of webhooks.
    decisions: decisions.map(
      ({ webhookId, name, outcome, reason, triggerId }): WebhookDecisionDto => ({
        webhook_id: webhookId,
        name,
        outcome,
        ...(reason === undefined ? {} : { reason }),
        trigger_id: triggerId,
      }),
    ),
  });
