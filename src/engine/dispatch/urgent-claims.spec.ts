import { beforeEach, describe, expect, it } from '@jest/globals';
import { urgentFrom } from '../ledger/due-time.js';
import { isBefore } from '../ledger/queue-order.js';
import type { WebhookQueues } from '../queue/webhook-queues.js';
import type { Receivers } from '../send/receivers.js';
import type { Claims } from './claims.js';
import type { DueRepository, DueTrigger, QueuePlace } from './due.repository.js';
import { DueTriggers } from './due-triggers.js';
import { UrgentClaims } from './urgent-claims.js';

/** How many triggers a scan for those of other webhooks passes. */
const SCANNED = 4000;

describe('UrgentClaims', () => {
  let stored: DueTrigger[];
  let claimed: DueTrigger[];
  let reads: number;
  /** How many places webhooks have; as many as they like unless it is said. */
  let capacity: Map<string, number>;
  /** How many of a webhook may come at once. */
  let mostOfOne: number;
  let urgent: UrgentClaims;

  beforeEach(() => {
    [stored, claimed, reads, capacity, mostOfOne] = [[], [], 0, new Map(), Number.POSITIVE_INFINITY];
    const behind = (place: QueuePlace, last: number) => {
      reads++;
      return stored.filter((one) => one.dueAt <= last && isBefore(place, one));
    };
    const due: Partial<DueRepository> = {
      due: async (last, place, limit) => behind(place, last).slice(0, limit),
      dueOfOthers: async (last, place, limit, full) => {
        const looked = behind(place, last).slice(0, SCANNED);
        const end = looked.length === SCANNED ? looked.at(-1) : undefined;
        const found = looked.filter((one) => !full.includes(one.webhookId) || one === end);
        return { found: found.slice(0, limit), isLast: found.length < limit && end === undefined };
      },
    };
    const reserve = (webhookId: string) => {
      const left = capacity.get(webhookId) ?? Number.POSITIVE_INFINITY;
      capacity.set(webhookId, left - 1);
      return left > 0;
    };
    const claim = async (chosen: DueTrigger[]) => {
      claimed.push(...chosen);
      const ids = new Set(chosen.map(({ id }) => id));
      stored = stored.filter(({ id }) => !ids.has(id));
    };
    const receivers = { usersOf: async () => new Map() } as unknown as Receivers;
    urgent = new UrgentClaims(
      new DueTriggers(due as DueRepository, receivers),
      { reserve, urgentCapacity: () => mostOfOne } as unknown as WebhookQueues,
      { claim } as unknown as Claims,
    );
  });

  /** Asks for some at a time. */
  function ask(webhookId: string, count: number, time: number): void {
    const fresh = Array.from({ length: count }, (_, i) => ({
      ...{ id: `${webhookId}-${time}-${String(i).padStart(5, '0')}`, webhookId, dueAt: urgentFrom(time) },
    }));
    stored = [...stored, ...fresh].sort((a, b) => (isBefore(a, b) ? -1 : 1));
  }
  const claimedOf = (webhookId: string) => claimed.filter((one) => one.webhookId === webhookId).length;

  it('takes all for which there is capacity, the newest first', async () => {
    ask('a', 250, 1000);
    ask('b', 1, 2000);
    await urgent.claim();
    expect(claimed[0]?.webhookId).toBe('b');
    expect(claimed).toHaveLength(251);
    expect(urgent.isLeft).toBe(false);
  });

  it('takes no more of a webhook than may wait for it, and all of the next one', async () => {
    mostOfOne = 20;
    ask('slow', 90, 2000);
    ask('other', 5, 1000);
    await urgent.claim();
    expect([claimedOf('slow'), claimedOf('other')]).toEqual([20, 5]);
    expect(urgent.isLeft).toBe(true);
  });

  it('ends with the claimer', async () => {
    ask('a', 1000, 1000);
    await urgent.claim(() => reads < 2);
    expect(claimed).toHaveLength(200);
    expect(urgent.isLeft).toBe(true);
  });

  it('finds what others asked for among ten thousand without capacity, in few reads', async () => {
    capacity.set('full', 0);
    ask('older', 1, 1000);
    ask('full', 10_000, 2000);
    ask('newer', 1, 3000);
    await urgent.claim();
    expect([claimedOf('older'), claimedOf('newer'), claimedOf('full')]).toEqual([1, 1, 0]);
    expect(reads).toBeLessThanOrEqual(5);
    expect(urgent.isLeft).toBe(true);
    capacity.set('full', 10_000);
    await urgent.claim();
    expect(claimedOf('full')).toBe(10_000);
    expect(urgent.isLeft).toBe(false);
  });

  it('comes to each of very many within some looks, while those that are new are found at once', async () => {
    capacity.set('full', 0);
    ask('older', 1, 1000);
    ask('full', 40_000, 2000);
    for (let look = 0; look < 6; look++) {
      capacity.set('full', 0);
      ask(`new ${look}`, 1, 3000 + look);
      const before = reads;
      await urgent.claim();
      expect(claimedOf(`new ${look}`)).toBe(1);
      expect(reads - before).toBeLessThanOrEqual(6);
    }
    expect(claimedOf('older')).toBe(1);
  });
});
