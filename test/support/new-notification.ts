import type { NewNotification } from '../../src/engine/accept/accept.repository.js';
import { newId } from '../../src/platform/ids/ids.js';

/** A notification to store, made now, without a body that anybody reads, but for what is given. */
export const newNotification = (more: Partial<NewNotification> = {}): NewNotification => ({
  id: newId(),
  userId: 'ada',
  eventKind: 'RECORD_FINISHED',
  triggeredAt: Date.now(),
  traceparent: null,
  hops: 0,
  body: Buffer.from('{}'),
  recordId: null,
  aboutWebhookId: null,
  isTest: false,
  ...more,
});
