import type { LeasedTrigger } from '../../src/engine/queue/leased-trigger.js';

type Fields = Pick<LeasedTrigger, 'id' | 'webhookId'> & Partial<LeasedTrigger>;

/** A trigger that was just claimed for its first attempt, but for what is given. */
export const leasedTrigger = (fields: Fields): LeasedTrigger => ({
  eventId: null,
  eventKind: 'RECORD_FINISHED',
  dueAt: 0,
  lease: 1,
  leasedBy: 'me',
  attemptCount: 0,
  scheduleOffset: 0,
  hasFailed: false,
  ordered: false,
  isProbe: false,
  cause: 'schedule',
  urgent: false,
  breakerEpoch: 0,
  notification: { id: `n-${fields.id}`, traceparent: null, hops: 0, body: Buffer.alloc(2) },
  ...fields,
});
