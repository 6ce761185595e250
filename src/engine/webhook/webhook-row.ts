import type { EventEntity } from '../../store/tables/webhook/event.entity.js';
import type { WebhookEntity } from '../../store/tables/webhook/webhook.entity.js';

/** A webhook's row with its events, oldest first. */
export interface WebhookRow {
  row: WebhookEntity;
  events: EventEntity[];
}
