import type { AttemptError } from '../../network/attempt-error.js';
import { newId } from '../../platform/ids/ids.js';
import { toDateTime } from '../../platform/json/json-time.js';
import { writeJson } from '../../platform/json/write-json.js';
import { redactedUrl } from '../../platform/redacted-url.js';
import type { TriggerStatus } from '../../store/tables/trigger/trigger.entity.js';
import { isKnownToFail, type LeasedTrigger } from '../queue/leased-trigger.js';
import { isOperational, type OperationalKind } from '../webhook/operational-kind.js';
import type { NewNotice } from './notice.repository.js';

/** The webhook that something happened to. */
export interface NamedWebhook {
  webhookId: string;
  userId: string;
  name: string;
  storedUrl: string;
}

interface SettledTrigger {
  trigger: LeasedTrigger;
  attempt: { number: number; endAt: number };
  receiver: NamedWebhook;
  /** The state of the trigger after this attempt. */
  status: TriggerStatus;
  error: AttemptError | null;
}

/** What the user's other webhooks are to be told of an attempt's result; null if nothing. */
export function noticeOfTrigger(settled: SettledTrigger): NewNotice | null {
  const { trigger, attempt, receiver, status, error } = settled;
  const recovered = status === 'SUCCEEDED' && trigger.hasFailed;
  const failed = status === 'FAILED' && !isKnownToFail(trigger);
  if (!(recovered || failed) || isQuiet(trigger)) return null;
  const at = toDateTime(attempt.endAt);
  const facts = {
    notification_id: trigger.notification.id,
    event_kind: trigger.eventKind,
    attempt_count: attempt.number,
    ...(recovered
      ? { cause: trigger.cause, recovered_at: at }
      : { error: error && { code: error.code, message: error.message }, failed_at: at }),
  };
  const kind = recovered ? 'TRIGGER_RECOVERED' : 'TRIGGER_FAILED';
  return noticeOf({ kind, id: trigger.id, receiver, facts, at: attempt.endAt, trigger });
}

/** What the user's other webhooks are to be told of a webhook, because of an attempt of a trigger; null if nothing. */
export function noticeOfWebhook(
  kind: 'WEBHOOK_FAILING' | 'WEBHOOK_DISABLED',
  receiver: NamedWebhook,
  trigger: LeasedTrigger,
  facts: object,
  at: number,
): NewNotice | null {
  return isQuiet(trigger) ? null : noticeOf({ kind, id: receiver.webhookId, receiver, facts, at, trigger });
}

/**
 * Nothing is told because of these. If a failed notice caused the next one, two webhooks that are subscribed to each other
 * would go on for ever; and a test is watched by whoever makes it.
 */
const isQuiet = ({ eventId, eventKind }: LeasedTrigger) => eventId === null || isOperational(eventKind);

interface NoticeParts {
  kind: OperationalKind;
  /** The id of the webhook or trigger that it is about. */
  id: string;
  receiver: NamedWebhook;
  facts: object;
  /** When it happened. Epoch milliseconds. */
  at: number;
  trigger: LeasedTrigger;
}

function noticeOf({ kind, id, receiver, facts, at, trigger }: NoticeParts): NewNotice {
  const { webhookId, userId, name, storedUrl } = receiver;
  const data = { id, webhook_id: webhookId, webhook_name: name, url: redactedUrl(storedUrl), ...facts };
  return {
    id: newId(),
    userId,
    eventKind: kind,
    aboutWebhookId: webhookId,
    triggeredAt: at,
    hops: trigger.notification.hops,
    data: writeJson(data),
  };
}
