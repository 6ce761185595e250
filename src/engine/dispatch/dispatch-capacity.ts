import { Injectable } from '@nestjs/common';
import type { Capacity } from '../accept/capacity.js';
import type { LeasedTrigger } from '../queue/leased-trigger.js';
import { WebhookQueues } from '../queue/webhook-queues.js';
import { Dispatcher } from './dispatcher.js';
import { DueScan } from './due-scan.js';

/** The capacity of the {@link Dispatcher}, as far as older triggers that wait in the database leave it to new ones. */
@Injectable()
export class DispatchCapacity implements Capacity {
  constructor(
    private readonly queues: WebhookQueues,
    private readonly scan: DueScan,
    private readonly dispatcher: Dispatcher,
  ) {}

  reserve(webhookId: string, userId: string, isTest = false): boolean {
    if (!this.dispatcher.isRunning) return false;
    // Half of the capacity is kept for older triggers: otherwise new ones would take all that is freed.
    const hasOtherHalf = isTest || (this.queues.isFree() && this.queues.isPartEmpty(webhookId));
    if (!hasOtherHalf && this.scan.isBehind(webhookId)) return false;
    return this.queues.reserve(webhookId, userId, isTest);
  }

  cancel(webhookIds: string[]): void {
    for (const webhookId of webhookIds) this.queues.cancel(webhookId);
  }

  offer(triggers: LeasedTrigger[]): void {
    this.dispatcher.offer(triggers);
  }
}
