import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { leasedTrigger } from '../../../test/support/leased-trigger.js';
import { TestClock } from '../../module/testing/test-clock.js';
import type { Settings } from '../../platform/config/settings.js';
import type { LeasedTrigger } from './leased-trigger.js';
import type { WebhookLimits } from './limit-source.js';
import { WebhookQueues } from './webhook-queues.js';

const DEFAULTS: WebhookLimits = { settings: { concurrency: 10, ratePerSecond: null }, generation: 0 };
const withConcurrency = (concurrency: number): WebhookLimits => ({
  ...DEFAULTS,
  settings: { ...DEFAULTS.settings, concurrency },
});

describe('the limits of a webhook', () => {
  let clock: TestClock;
  let queues: WebhookQueues;
  let limits: WebhookLimits | null | Promise<WebhookLimits | null>;
  let asked: number[];
  let made = 0;

  beforeEach(() => {
    clock = new TestClock();
    const settings = { delivery: { concurrency: 20, webhookConcurrency: 10 } } as Settings;
    asked = [];
    queues = new WebhookQueues(settings, clock, {
      limitsOf: () => limits,
      reserveStarts: async (_webhookId, _intervalMs, count) => {
        asked.push(count);
        return { delayMs: 0, count };
      },
    });
  });

  const put = (count: number) => {
    for (let n = 0; n < count; n++) {
      queues.reserve('webhook', 'user');
      queues.put(leasedTrigger({ id: `trigger-${++made}`, webhookId: 'webhook' }));
    }
  };
  const takeAll = () => {
    const taken: LeasedTrigger[] = [];
    for (let one = queues.take(); one; one = queues.take()) taken.push(one);
    return taken;
  };

  it('apply at once where they are known', () => {
    limits = withConcurrency(3);
    put(8);
    expect(takeAll()).toHaveLength(3);
    limits = withConcurrency(5);
    queues.relearn();
    expect(takeAll()).toHaveLength(2);
  });

  it('keep only their webhook waiting while they are read', async () => {
    const { promise, resolve } = Promise.withResolvers<WebhookLimits>();
    limits = promise;
    put(8);
    expect(takeAll()).toEqual([]);
    expect(takeAll()).toEqual([]);
    limits = withConcurrency(1);
    resolve(limits);
    await setImmediate();
    expect(takeAll()).toHaveLength(1);
  });

  it('are those of before while the database does not answer', async () => {
    limits = Promise.reject(new Error('away'));
    put(2);
    expect(takeAll()).toEqual([]);
    await setImmediate();
    expect(takeAll()).toHaveLength(2);
  });

  it('reserve no more starts than slots are free, so that other processes get the rest', async () => {
    limits = { settings: { concurrency: 2, ratePerSecond: 10 }, generation: 0 };
    put(8);
    expect(takeAll()).toEqual([]);
    await setImmediate();
    const [first] = takeAll();
    clock.advance(100);
    expect(takeAll()).toHaveLength(1);
    clock.advance(100);
    expect(takeAll()).toEqual([]);
    await setImmediate();
    expect(asked).toEqual([2]);
    queues.sent(first as LeasedTrigger, 'up');
    await setImmediate();
    expect(asked).toEqual([2, 1]);
  });

  it('forget how the receiver was once the webhook is another one', () => {
    limits = DEFAULTS;
    put(1);
    queues.sent(takeAll()[0] as LeasedTrigger, 'busy', 3_600_000);
    expect(queues.probes.at('webhook')).not.toBeNull();
    queues.relearn('webhook');
    expect(queues.probes.at('webhook')).not.toBeNull();
    limits = { ...DEFAULTS, generation: 1 };
    queues.relearn('webhook');
    expect(queues.probes.at('webhook')).toBeNull();
    clock.advance(1_000_000);
    put(1);
    expect(queues.probes.wanted()).toEqual([]);
    expect(takeAll()).toHaveLength(1);
  });
});
