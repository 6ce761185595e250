import { Injectable } from '@nestjs/common';
import { outsideOfCalls } from '../common/call.js';

/** What the resources tell the delivery engine of the same process, so that it need not wait for its next look. */
export interface QueueListener {
  /** Triggers may be due. */
  onDue(): void;
  /** Triggers are due, perhaps before others that have been looked at already. */
  onReturned(): void;
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

  onDue(): void {
    this.tell((listener) => listener.onDue?.());
  }

  onReturned(): void {
    this.tell((listener) => listener.onReturned?.());
  }

  onWebhookChanged(webhookId: string): void {
    this.tell((listener) => listener.onWebhookChanged?.(webhookId));
  }

  private tell(of: (listener: Partial<QueueListener>) => void): void {
    outsideOfCalls(() => {
      for (const listener of this.listeners) of(listener);
    });
  }

  onLeftToCancel(): void {
    for (const listener of this.listeners) listener.onLeftToCancel?.();
  }
}
