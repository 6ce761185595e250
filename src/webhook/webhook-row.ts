import type { EventEntity } from '../event/event.entity.js';
import type { WebhookEntity } from './webhook.entity.js';

/** A webhook's row with its events, oldest first. */
export interface WebhookRow {
  row: WebhookEntity;
  events: EventEntity[];
}
