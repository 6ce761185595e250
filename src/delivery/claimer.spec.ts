import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Settings } from '../config/settings.js';
import { TestClock } from '../testing/test-clock.js';
import { QueueSignals } from '../trigger/queue-signals.js';
import { Claimer } from './claimer.js';
import type { Dispatcher } from './dispatcher.js';
import type { Instance } from './instance.js';
import type { DueTrigger, QueuePlace, QueueRepository } from './queue.repository.js';
import type { Targets } from './targets.js';
import type { WebhookQueues } from './webhook-queues.js';

/** How long a read of the queue takes, where the database or the process is busy. */
const READ_MS = 2000;

describe('Claimer', () => {
  let clock: TestClock;
  let signals: QueueSignals;
  let queue: DueTrigger[];
  let claimed: string[];

  beforeEach(async () => {
    clock = new TestClock();
    signals = new QueueSignals();
    queue = [];
    claimed = [];
    const claimer = new Claimer(
      {
        async due(now: number, behind: QueuePlace) {
          clock.advance(READ_MS);
          return queue.filter(({ dueAt }) => dueAt <= now && dueAt > behind.dueAt);
        },
        async claim(_: string, ids: string[]) {
          claimed.push(...ids);
          queue = queue.filter(({ id }) => !ids.includes(id));
          return ids.map((id) => ({ id }));
        },
        nextDueAfter: async () => null,
      } as unknown as QueueRepository,
      { room: 100, hasPlentyOfRoom: true, reserve: () => true } as unknown as WebhookQueues,
      { usersOf: async () => new Map() } as unknown as Targets,
      { offer: () => {}, unreserve: () => {} } as unknown as Dispatcher,
      { id: 'me' } as Instance,
      signals,
      clock,
      { delivery: { gentle: false } } as Settings,
    );
    claimer.start();
    await look();
    put('ahead', clock.now() - 1);
    signals.onDue();
    await look();
    expect(claimed).toEqual(['ahead']);
  });

  const put = (id: string, dueAt: number) => queue.push({ id, webhookId: 'w', dueAt });

  /** What has begun by now is done. */
  async function look(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) await setImmediate();
  }

  it('soon finds what is told to have been put before what it has looked at', async () => {
    put('returned', clock.now() - 60_000);
    signals.onReturned();
    for (let waited = 0; waited < 6 * READ_MS; waited += 1000) {
      clock.advance(1000);
      await look();
    }
    expect(claimed).toEqual(['ahead', 'returned']);
  });

  it('finds what nobody told it of too, at no great cost', async () => {
    put('unheard of', clock.now() - 60_000);
    const begin = clock.now();
    while (!claimed.includes('unheard of') && clock.now() - begin < 300_000) {
      clock.advance(1000);
      await look();
    }
    expect(claimed).toEqual(['ahead', 'unheard of']);
    // Once read to its end, the queue is not read again from its beginning for twenty times as long as that took.
    expect(clock.now() - begin).toBeGreaterThan(15 * READ_MS);
    expect(clock.now() - begin).toBeLessThan(25 * READ_MS);
  });
});
