import { Injectable } from '@nestjs/common';
import { failpoint } from '../../platform/failpoint.js';
import { Instance } from '../instance/instance.js';
import type { LeasedTrigger } from '../queue/leased-trigger.js';
import { QueueRepository } from '../queue/queue.repository.js';
import { WebhookQueues } from '../queue/webhook-queues.js';
import { Dispatcher } from './dispatcher.js';
import type { DueTrigger } from './due.repository.js';

/** Leases triggers to this process and hands them to the dispatcher. */
@Injectable()
export class Claims {
  constructor(
    private readonly queue: QueueRepository,
    private readonly queues: WebhookQueues,
    private readonly instance: Instance,
    private readonly dispatcher: Dispatcher,
  ) {}

  /** @param chosen triggers with a reservation each, which is cancelled if another process took the trigger first. */
  async claim(chosen: Pick<DueTrigger, 'id' | 'webhookId'>[]): Promise<void> {
    if (chosen.length === 0) return;
    const unclaimed = new Map(chosen.map((trigger) => [trigger.id, trigger.webhookId]));
    let claimed: LeasedTrigger[] = [];
    try {
      claimed = await this.queue.claim(
        this.instance.id,
        chosen.map(({ id }) => id),
      );
      if (claimed.length > 0) failpoint('claim-committed');
    } finally {
      for (const { id } of claimed) unclaimed.delete(id);
      for (const webhookId of unclaimed.values()) this.queues.cancel(webhookId);
    }
    this.dispatcher.offer(claimed);
  }
}
