import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { TestClock } from '../../module/testing/test-clock.js';
import type { Settings } from '../../platform/config/settings.js';
import type { Instance } from '../instance/instance.js';
import { QueueSignals } from '../ledger/queue-signals.js';
import { QueueTime } from '../ledger/queue-time.js';
import type { QueueRepository } from '../queue/queue.repository.js';
import type { WebhookQueues } from '../queue/webhook-queues.js';
import type { Receivers } from '../send/receivers.js';
import { Claimer } from './claimer.js';
import { Claims } from './claims.js';
import type { Dispatcher } from './dispatcher.js';
import type { DueRepository, DueTrigger, QueuePlace } from './due.repository.js';
import { DueClaims } from './due-claims.js';
import { DueScan } from './due-scan.js';
import { DueTriggers } from './due-triggers.js';
import { UrgentClaims } from './urgent-claims.js';
import type { WaitingTriggers } from './waiting-triggers.js';

/** How long a read of the queue takes while the database or the process is busy. */
const READ_MS = 2000;

describe('Claimer', () => {
  let clock: TestClock;
  let signals: QueueSignals;
  let queue: DueTrigger[];
  let claimed: string[];
  let claimer: Claimer;
  /** Holds claims back. */
  let held: Promise<void> | undefined;

  beforeEach(async () => {
    clock = new TestClock();
    signals = new QueueSignals();
    queue = [];
    claimed = [];
    held = undefined;
    const repository = {
      async due(now: number, behind: QueuePlace) {
        clock.advance(READ_MS);
        return queue.filter(({ dueAt }) => dueAt <= now && dueAt > behind.dueAt);
      },
      async claim(_: string, ids: string[]) {
        await held;
        claimed.push(...ids);
        queue = queue.filter(({ id }) => !ids.includes(id));
        return ids.map((id) => ({ id }));
      },
      nextDueAfter: async () => null,
    } as unknown as QueueRepository & DueRepository;
    const queues = {
      capacity: 100,
      isFree: () => true,
      isPartEmpty: () => true,
      reserve: () => true,
      cancel: () => {},
      consumeRoomFreed: () => false,
    } as unknown as WebhookQueues;
    const dispatcher = { offer: () => {} } as unknown as Dispatcher;
    const receivers = { usersOf: async () => new Map() } as unknown as Receivers;
    const settings = { delivery: { gentle: false } } as Settings;
    const noneUrgent = { due: async () => [] } as unknown as DueRepository;
    const time = new QueueTime(clock);
    const claims = new Claims(repository, queues, { id: 'me' } as Instance, dispatcher);
    claimer = new Claimer(
      queues,
      new DueClaims(
        new DueTriggers(repository, receivers),
        queues,
        new DueScan(),
        claims,
        time,
        clock,
        settings,
      ),
      new UrgentClaims(new DueTriggers(noneUrgent, receivers), queues, claims),
      { requeueLate: () => {} } as WaitingTriggers,
      signals,
      time,
      clock,
    );
    claimer.start();
    await settle();
    put('ahead', clock.now() - 1);
    signals.emit('due', clock.now() - 1);
    await settle();
    expect(claimed).toEqual(['ahead']);
  });

  const put = (id: string, dueAt: number) => queue.push({ id, webhookId: 'w', dueAt });

  /** Waits until everything that has begun is done. */
  async function settle(): Promise<void> {
    for (let round = 0; round < 20; round++) await setImmediate();
  }

  it.each([
    ['that triggers returned', () => signals.emit('returned')],
    ['that triggers are due since then', () => signals.emit('due', clock.now() - 60_000)],
  ])(
    'soon finds a trigger that stands before the position of the scan, after a signal %s',
    async (_what, signal) => {
      put('returned', clock.now() - 60_000);
      signal();
      for (let waited = 0; waited < 6 * READ_MS; waited += 1000) {
        clock.advance(1000);
        await settle();
      }
      expect(claimed).toEqual(['ahead', 'returned']);
    },
  );

  it('finds a trigger that no signal announced, at little cost', async () => {
    put('unheard of', clock.now() - 60_000);
    const begin = clock.now();
    while (!claimed.includes('unheard of') && clock.now() - begin < 300_000) {
      clock.advance(1000);
      await settle();
    }
    expect(claimed).toEqual(['ahead', 'unheard of']);
    // After a read to its end, the queue is left alone for twenty times as long as that took.
    expect(clock.now() - begin).toBeGreaterThan(15 * READ_MS);
    expect(clock.now() - begin).toBeLessThan(25 * READ_MS);
  });

  it.each([3_600_000, -3_600_000])(
    'finds fresh triggers at once after the wall clock was set by %i ms',
    async (ms) => {
      clock.step(ms);
      const time = clock.now();
      put('fresh', Math.max(time, clock.now()) - 1);
      signals.emit('due', time - 1);
      for (let waited = 0; waited < 15_000; waited += 1000) {
        clock.advance(1000);
        await settle();
      }
      expect(claimed).toContain('fresh');
    },
  );

  it('ends when what it is claiming has been claimed', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    put('claimed last', clock.now() - 1);
    signals.emit('due', clock.now() - 1);
    await settle();
    const stopped = claimer.stop().then(() => claimed.at(-1));
    resolve();
    expect(await stopped).toBe('claimed last');
    put('too late', clock.now() - 1);
    signals.emit('due', clock.now() - 1);
    clock.advance(60_000);
    await settle();
    expect(claimed.at(-1)).toBe('claimed last');
  });
});
