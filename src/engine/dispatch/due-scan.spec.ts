import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { DueTrigger, QueuePlace } from './due.repository.js';
import { DueScan } from './due-scan.js';

const NOW = 1_000_000;

/** A queue in memory, and a process that has capacity for `limit` triggers of each webhook. */
class World {
  readonly scan = new DueScan();
  readonly held = new Map<string, number>();
  readonly claimed: string[] = [];
  /** Rows read: the cost of the scans. */
  read = 0;
  looks = 0;

  constructor(
    private queue: DueTrigger[],
    private readonly limit: number,
  ) {}

  /** @returns whether more may be due. */
  look(window: number, whileReading = () => {}): boolean {
    this.looks++;
    const isFilledTo = (part: number) => (webhookId: string) =>
      (this.held.get(webhookId) ?? 0) <= part * this.limit;
    const behind = this.scan.next(isFilledTo(0.5), isFilledTo(0.75));
    const found = this.queue.filter((trigger) => isBehind(trigger, behind)).slice(0, window);
    whileReading();
    this.read += found.length;
    const isLast = found.length < window;
    const wasGoingBack = this.scan.isGoingBack;
    const candidates = found.map((trigger) => ({ ...trigger, userId: 'u' }));
    const chosen = this.scan.choose(candidates, isLast, NOW * 10, ({ webhookId }) => {
      const held = this.held.get(webhookId) ?? 0;
      if (held >= this.limit) return false;
      this.held.set(webhookId, held + 1);
      return true;
    });
    const ids = new Set(chosen.map(({ id }) => id));
    this.queue = this.queue.filter(({ id }) => !ids.has(id));
    this.claimed.push(...ids);
    return !isLast || wasGoingBack;
  }

  lookAtAll(window: number): void {
    while (this.look(window));
  }

  /** @param left how many of its triggers are still held. */
  sendAll(webhookId: string, left = 0): void {
    this.held.set(webhookId, left);
    this.scan.goBackFor(webhookId);
  }
}

const isBehind = (trigger: DueTrigger, place: QueuePlace) =>
  trigger.dueAt > place.dueAt || (trigger.dueAt === place.dueAt && trigger.id > place.id);

const queueOf = (webhookIds: string[]): DueTrigger[] =>
  webhookIds.map((webhookId, index) => ({ webhookId, dueAt: index, id: String(index).padStart(8, '0') }));

describe('DueScan', () => {
  it('claims every trigger once, in order within its webhook, whatever the windows and limits', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 80 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 }),
        (webhookIds, window, limit, order) => {
          const queue = queueOf(webhookIds);
          const world = new World(queue, limit);
          world.lookAtAll(window);
          for (const webhookId of order) {
            world.sendAll(webhookId);
            world.lookAtAll(window);
          }
          for (let round = 0; world.claimed.length < queue.length && round < 100; round++) {
            for (const webhookId of ['a', 'b', 'c', 'd']) world.sendAll(webhookId);
            world.lookAtAll(window);
          }
          expect(world.claimed.toSorted()).toEqual(queue.map(({ id }) => id).toSorted());
          for (const webhookId of new Set(webhookIds)) {
            const ids = queue.filter((trigger) => trigger.webhookId === webhookId).map(({ id }) => id);
            expect(world.claimed.filter((id) => ids.includes(id))).toEqual(ids);
          }
        },
      ),
    );
  });

  it('does not read the backlog of a hanging receiver again for each trigger of the others', () => {
    const others = 100;
    const world = new World(queueOf([...Array(10_000).fill('hangs'), ...Array(others).fill('works')]), 10);
    world.lookAtAll(500);
    const readOnce = world.read;
    for (let sent = 10; sent < others; sent += 10) {
      world.sendAll('works');
      world.lookAtAll(500);
    }
    expect(world.claimed).toHaveLength(10 + others);
    expect(world.read - readOnce).toBeLessThan(10_000);
  });

  it('reads a backlog in proportion to what it claims, however many webhooks share it', () => {
    const webhookIds = Array.from({ length: 10_000 }, (_, index) => `w${index % 10}`);
    const world = new World(queueOf(webhookIds), 20);
    world.lookAtAll(500);
    for (let round = 0; world.claimed.length < 10_000 && round < 10_000; round++) {
      // Half of them get capacity while the way back to the first is under way.
      world.sendAll(`w${round % 10}`);
      world.look(50);
      world.sendAll(`w${(round + 3) % 10}`);
      world.lookAtAll(500);
    }
    expect(world.claimed).toHaveLength(10_000);
    expect(world.read).toBeLessThan(30 * 10_000);
  });

  it('goes back for all webhooks that share a backlog when one of them has capacity a little before the others', () => {
    const webhookIds = Array.from({ length: 2000 }, (_, index) => `w${index % 10}`);
    const world = new World(queueOf(webhookIds), 80);
    world.lookAtAll(500);
    expect(world.claimed).toHaveLength(800);
    const before = world.looks;
    for (const webhookId of new Set(webhookIds)) world.held.set(webhookId, 50);
    // The one whose place is the last.
    world.sendAll('w9', 40);
    world.lookAtAll(500);
    expect(world.claimed).toHaveLength(800 + 9 * 30 + 40);
    expect(world.looks - before).toBeLessThan(4);
  });

  it('reads no further on the way back once those that it went for are full', () => {
    const webhookIds = Array.from({ length: 4000 }, (_, index) => `w${index % 10}`);
    const world = new World(queueOf(webhookIds), 80);
    world.lookAtAll(400);
    for (const webhookId of new Set(webhookIds)) world.sendAll(webhookId, 40);
    const before = world.looks;
    world.look(400);
    // One of them has a little capacity again meanwhile, which is not worth a read.
    world.held.set('w0', 60);
    world.lookAtAll(400);
    expect(world.claimed).toHaveLength(800 + 400);
    // The second one reads on for others, behind everything.
    expect(world.looks - before).toBe(2);
  });

  it('takes what stands behind the frontier from the read in which the way back reaches it', () => {
    const webhookIds = Array.from({ length: 1600 }, (_, index) => `w${index % 10}`);
    const world = new World(queueOf(webhookIds), 80);
    // All are full, exactly at the end of the second read.
    world.look(400);
    world.look(400);
    world.look(40);
    for (const webhookId of new Set(webhookIds)) world.sendAll(webhookId, 40);
    world.look(400);
    expect(world.claimed).toHaveLength(800 + 400);
  });

  it('loses no trigger whose webhook gets capacity while the queue is being read', () => {
    const anyOrder = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.boolean()), { maxLength: 40 });
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 60 }),
        fc.integer({ min: 1, max: 10 }),
        anyOrder,
        (webhookIds, window, order) => {
          const world = new World(queueOf(webhookIds), 2);
          for (const [webhookId, meanwhile] of order) {
            if (!meanwhile) world.sendAll(webhookId);
            world.look(window, () => meanwhile && world.sendAll(webhookId));
          }
          for (let round = 0; world.claimed.length < webhookIds.length && round < 100; round++) {
            for (const webhookId of ['a', 'b', 'c']) world.sendAll(webhookId);
            world.lookAtAll(window);
          }
          expect(world.claimed).toHaveLength(webhookIds.length);
        },
      ),
    );
  });

  it('finds triggers that were put behind it after a restart', () => {
    const world = new World(queueOf(['a', 'a']), 1);
    world.lookAtAll(500);
    world.held.clear();
    world.scan.restart();
    world.lookAtAll(500);
    expect(world.claimed).toHaveLength(2);
  });
});
