/** A trigger that is leased to this process, with everything needed to send it. */
export interface LeasedTrigger {
  id: string;
  webhookId: string;
  /** Null for a test. */
  subscriptionId: string | null;
  eventKind: string;
  /** The fencing token under which it is settled. */
  lease: number;
  /** Attempts made before. */
  attemptCount: number;
  /** How many of them came before the retry schedule last began anew. */
  scheduleOffset: number;
  /** Asked for by hand: goes out although its receiver is paused, and before the others that wait for it. */
  urgent: boolean;
  notification: LeasedNotification;
}

export interface LeasedNotification {
  id: string;
  traceparent: string | null;
  /** How many services like this one it has passed through. */
  hops: number;
  /** Null if it is gone although a trigger of it is still there. */
  body: Buffer | null;
}
