/** A trigger that this process holds the lease of, with all that sending it takes. */
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
  /** Of these, the ones before the retry schedule last began anew. */
  scheduleOffset: number;
  /** Asked for by hand: goes out although its receiver is paused, before what waits for that. */
  urgent: boolean;
  notification: LeasedNotification;
}

export interface LeasedNotification {
  id: string;
  traceparent: string | null;
  /** Services like this one that it has come through before. */
  hops: number;
  /** Null where it is gone, though a trigger of it is still there. */
  body: Buffer | null;
}
