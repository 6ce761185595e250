import { QueueRepository } from './queue.repository.js';
import { RateSlots } from './rate-slots.repository.js';
import { WebhookQueues } from './webhook-queues.js';

export const QUEUE = {
  providers: [WebhookQueues, QueueRepository, RateSlots],
  exports: [WebhookQueues],
};
