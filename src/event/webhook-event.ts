import type { Filter } from '../engine/filter/filter.js';
import { filterOf } from '../engine/filter/stored-filter.js';
import type { EventEntity } from '../store/tables/webhook/event.entity.js';
import type { WebhookEventKind } from './event-kinds.js';

/** A kind of event that a webhook is subscribed to. */
export interface WebhookEvent {
  /** UUIDv7. */
  id: string;
  /** While false, nothing of this kind is sent to the webhook. */
  enabled: boolean;
  /** Upper snake case, such as `RECORD_FINISHED`. */
  kind: WebhookEventKind;
  /** Always equal to `kind`. */
  eventKind: WebhookEventKind;
  /** UUIDv7. */
  webhookId: string;
  /** Which notifications of the kind the webhook gets; null for all. Whole numbers beyond 2^53 are bigints. */
  filter: Filter | null;
}

/** What services answer for a stored event. */
export function webhookEventOf(row: EventEntity): WebhookEvent {
  const { id, enabled, webhookId } = row;
  const kind = row.kind as WebhookEventKind;
  return { id, enabled, kind, eventKind: kind, webhookId, filter: filterOf(row) };
}
