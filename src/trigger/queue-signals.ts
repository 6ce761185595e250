import { Injectable } from '@nestjs/common';
import { outsideOfCalls } from '../common/call.js';

/**
 * What the parts of a process tell each other about the queue, so that nobody need wait for the next look. They are told
 * to be quick, not to be right: who misses one finds the same within a second.
 */
export interface QueueListener {
  /** Triggers are due, from this time of the queue on. */
  onDue(time: number): void;
  /** Triggers are due, perhaps before others that have been looked at already. */
  onReturned(): void;
  /** A trigger was asked for by hand. */
  onUrgent(): void;
  /** A trigger of this webhook is dealt with: there is room for another one. */
  onRoom(webhookId: string): void;
  /** A webhook was changed, disabled or deleted: what is known of it is stale. */
  onWebhookChanged(webhookId: string): void;
  /** Triggers that are not wanted any more are left to be cancelled. */
  onLeftToCancel(): void;
}

@Injectable()
export class QueueSignals implements QueueListener {
  private readonly listeners = new Set<Partial<QueueListener>>();

  /** @returns a function that ends the subscription. */
  subscribe(listener: Partial<QueueListener>): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  onDue(time: number): void {
    this.tell((listener) => listener.onDue?.(time));
  }

  onReturned(): void {
    this.tell((listener) => listener.onReturned?.());
  }

  onUrgent(): void {
    this.tell((listener) => listener.onUrgent?.());
  }

  onRoom(webhookId: string): void {
    for (const listener of this.listeners) listener.onRoom?.(webhookId);
  }

  onWebhookChanged(webhookId: string): void {
    this.tell((listener) => listener.onWebhookChanged?.(webhookId));
  }

  onLeftToCancel(): void {
    this.tell((listener) => listener.onLeftToCancel?.());
  }

  private tell(of: (listener: Partial<QueueListener>) => void): void {
    outsideOfCalls(() => {
      for (const listener of this.listeners) of(listener);
    });
  }
}
