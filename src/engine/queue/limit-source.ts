import type { Starts } from './rate-gate.js';

/** What a webhook's owner has set, as far as the queues go by it. */
export interface OwnLimits {
  /** Attempts under way at once, in this process. */
  concurrency: number;
  /** Attempts a second, over all processes; null for no limit. */
  ratePerSecond: number | null;
}

export interface WebhookLimits {
  settings: OwnLimits;
  /** Raised when its owner points it elsewhere or switches it: what was learned of its receiver is void. */
  generation: number;
}

/** Where the queues get the limits of webhooks from. */
export abstract class LimitSource {
  /** A second old at most. Null for a webhook that is not sent to. Rejects while the database is unavailable. */
  abstract limitsOf(webhookId: string): WebhookLimits | null | Promise<WebhookLimits | null>;

  /** Reserves start times for attempts. */
  abstract reserveStarts(webhookId: string, intervalMs: number, count: number): Promise<Starts>;
}
