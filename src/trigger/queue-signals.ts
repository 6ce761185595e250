import { Injectable } from '@nestjs/common';

/** What the resources tell the delivery engine of the same process, so that it need not wait for its next look. */
export interface QueueListener {
  /** Triggers may be due. */
  onDue(): void;
  /** Triggers are due, perhaps before others that have been looked at already. */
  onReturned(): void;
  /** A webhook was changed, disabled or deleted: what is known of it is stale. */
  onWebhookChanged(webhookId: string): void;
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
    for (const listener of this.listeners) listener.onDue?.();
  }

  onReturned(): void {
    for (const listener of this.listeners) listener.onReturned?.();
  }

  onWebhookChanged(webhookId: string): void {
    for (const listener of this.listeners) listener.onWebhookChanged?.(webhookId);
  }
}
