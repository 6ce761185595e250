import { describe, expect, it } from '@jest/globals';
import { systemClock } from '../common/clock.js';
import type { Settings } from '../config/settings.js';
import type { LeasedTrigger } from './leased-trigger.js';
import { WebhookQueues } from './webhook-queues.js';

const MIB = 1024 * 1024;

const queues = (concurrency: number) =>
  new WebhookQueues({ delivery: { concurrency, webhookConcurrency: concurrency } } as Settings, systemClock);

const trigger = (id: string, bytes: number): LeasedTrigger => ({
  id,
  webhookId: 'webhook',
  eventId: null,
  eventKind: 'RECORD_FINISHED',
  lease: 1,
  attemptCount: 0,
  scheduleOffset: 0,
  notification: { id, traceparent: null, hops: 0, body: Buffer.alloc(bytes) },
});

describe('WebhookQueues', () => {
  it('hold few bodies that are large, and many that are small', () => {
    const held = queues(256);
    let count = 0;
    for (; held.reserve('webhook', 'user'); count++) held.put(trigger(`large-${count}`, MIB));
    expect(count).toBe(64);
    expect(held.room).toBe(0);
    for (const one of held.drain()) expect(one.notification.body).toHaveLength(MIB);
    for (count = 0; held.reserve('webhook', 'user'); count++) held.put(trigger(`small-${count}`, 1024));
    // Three quarters of all places, which one user may have.
    expect(count).toBe(256 * 8 * 0.75);
  });

  it('have room again when a large body is done', () => {
    const held = queues(256);
    for (let count = 0; held.reserve('webhook', 'user'); count++) held.put(trigger(`${count}`, MIB));
    const sent = held.take();
    if (!sent) throw new Error('Nothing to send.');
    held.sent(sent);
    expect(held.room).toBe(0);
    held.done(sent);
    expect(held.room).toBe(1);
  });
});
