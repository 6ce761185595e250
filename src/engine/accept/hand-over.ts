import { Injectable } from '@nestjs/common';
import { Instance } from '../instance/instance.js';
import { QueueSignals } from '../ledger/queue-signals.js';
import { isTest, type NewTrigger } from './accept.repository.js';
import { Capacity } from './capacity.js';
import type { Lease } from './fan-out.js';
import { isLeased, isOrdered, toLeased } from './new-trigger.js';

/**
 * What happens to new triggers besides that they are stored: those for which this process has capacity are born leased to it, and
 * are handed over in memory after the commit; the others are claimed.
 */
@Injectable()
export class HandOver {
  constructor(
    private readonly capacity: Capacity,
    private readonly instance: Instance,
    private readonly signals: QueueSignals,
  ) {}

  /** Reserves capacity for a new trigger. */
  readonly lease: Lease = (webhookId, userId, isTest) =>
    this.instance.isValid && this.capacity.reserve(webhookId, userId, isTest) ? this.instance.id : null;

  /** Cancels the reservations of triggers that were not stored. */
  cancel(triggers: NewTrigger[]): void {
    this.capacity.cancel(triggers.filter(isLeased).map(({ webhookId }) => webhookId));
  }

  /** Called once the triggers are committed. */
  committed(triggers: NewTrigger[]): void {
    this.capacity.offer(triggers.filter(isLeased).map(toLeased));
    const waiting = triggers.filter((trigger) => !isLeased(trigger));
    this.signalWaiting(waiting);
    if (waiting.some(isTest)) this.signals.emit('urgent');
  }

  /** The same for triggers none of which is leased. */
  signalWaiting(triggers: NewTrigger[]): void {
    const first = triggers.find((trigger) => !isOrdered(trigger));
    if (first) this.signals.emit('due', first.dueAt);
    if (triggers.some(isOrdered)) this.signals.emit('ordered');
  }
}
