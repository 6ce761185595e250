import type { Trigger } from '../trigger.js';
import { toResponseData } from './attempt.dto.js';
import type { WebhookTriggerDto } from './trigger.dto.js';

/**
 * A trigger as lists answer it, without its body. By hand, because a stream shows thousands a second while a backlog is sent, and
 * class-transformer takes most of the time that each costs.
 */
export const toStreamedTrigger = (trigger: Trigger): WebhookTriggerDto => ({
  id: trigger.id,
  notification_id: trigger.notificationId,
  webhook_id: trigger.webhookId,
  event_id: trigger.eventId,
  event_kind: trigger.eventKind,
  user_id: trigger.userId,
  status: trigger.status,
  attempt_count: trigger.attemptCount,
  begin: trigger.begin,
  end: trigger.end,
  next_attempt_at: trigger.nextAttemptAt,
  request_data: {
    method: trigger.requestData.method,
    url: trigger.requestData.url,
    headers: trigger.requestData.headers,
  },
  response_data: toResponseData(trigger.responseData),
  error: trigger.error && { code: trigger.error.code, message: trigger.error.message },
  diagnosis: trigger.diagnosis && { summary: trigger.diagnosis.summary, advice: trigger.diagnosis.advice },
});
