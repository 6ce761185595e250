import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Batcher } from './batcher.js';
import { Call } from './call.js';
import { LockedRowsError, OutcomeUnknownError } from './database-error.js';

const MAX_ITEMS = 3;
const MAX_WAITING = 6;
const MAX_BYTES = 100;

interface Item {
  id: number;
  bytes: number;
  isPoison: boolean;
}

type End = 'stored' | 'not stored' | 'unknown';

class PoisonError extends Error {}

/** A database that commits when it is told to, and remembers. */
class FakeDatabase {
  readonly stored: number[] = [];
  readonly given = new Set<number>();
  private readonly open: ((end: End) => void)[] = [];

  run = async (items: Item[]): Promise<number[]> => {
    expect(items.length).toBeLessThanOrEqual(MAX_ITEMS);
    for (const { id } of items) this.given.add(id);
    const end = await new Promise<End>((resolve) => this.open.push(resolve));
    if (end === 'not stored') throw new Error('not now');
    if (items.some(({ isPoison }) => isPoison)) throw new PoisonError('bad data');
    // If the outcome is unknown, it may be stored.
    this.stored.push(...items.map(({ id }) => id));
    if (end === 'unknown') throw new OutcomeUnknownError(new Error('cut'));
    return items.map(({ id }) => id);
  };

  end(how: End): boolean {
    const next = this.open.shift();
    next?.(how);
    return next !== undefined;
  }

  get isBusy(): boolean {
    return this.open.length > 0;
  }
}

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      bytes: fc.integer({ min: 1, max: 40 }),
      isPoison: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('refuse' as const), which: fc.nat(30) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      how: fc.constantFrom<End>('stored', 'stored', 'not stored', 'unknown'),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ do: 'turn' as const }) },
);

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('A batcher', () => {
  it('tells each call the truth, in whatever order calls arrive and are refused and batches end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 1, max: 2 }),
        async (steps, parallel) => {
          const database = new FakeDatabase();
          const batcher = new Batcher<Item, number>(database.run, {
            maxItems: MAX_ITEMS,
            maxWaiting: MAX_WAITING,
            maxWaitingBytes: MAX_BYTES,
            parallel,
            bytesOf: ({ bytes }) => bytes,
            isAboutItem: (error) => error instanceof PoisonError,
          });
          /** What each call was told at its refusal, and what became of its item. */
          const calls: {
            call: Call;
            item: Item;
            told?: string;
            result?: number | Error;
            refusedAtOnce: boolean;
          }[] = [];
          const settled: Promise<unknown>[] = [];
          const waiting = () =>
            calls.filter(
              ({ item, result, told }) =>
                !database.given.has(item.id) && result === undefined && told === undefined,
            );
          for (const one of steps) {
            if (one.do === 'add') {
              const held = waiting();
              const bytes = held.reduce((sum, { item }) => sum + item.bytes, 0);
              const isFull = held.length >= MAX_WAITING || bytes + one.bytes > MAX_BYTES;
              const item = { id: calls.length, bytes: one.bytes, isPoison: one.isPoison };
              const entry: (typeof calls)[number] = { call: new Call(), item, refusedAtOnce: isFull };
              calls.push(entry);
              settled.push(
                batcher.add(item, entry.call).then(
                  (result) => {
                    entry.result = result;
                  },
                  (error: Error) => {
                    entry.result = error;
                  },
                ),
              );
              if (isFull) {
                await Promise.resolve();
                await Promise.resolve();
                expect(entry.result).toMatchObject({ code: 'database_unavailable' });
              }
            } else if (one.do === 'refuse') {
              const entry = calls[one.which];
              if (entry && entry.result === undefined && entry.told === undefined)
                entry.told = entry.call.refuse().message;
            } else if (one.do === 'end') {
              database.end(one.how);
              await turn();
            } else await turn();
          }
          while (calls.some(({ result }) => result === undefined)) {
            database.end('stored');
            await turn();
          }
          await Promise.all(settled);
          expect(database.isBusy).toBe(false);
          for (const { item, told, result, refusedAtOnce } of calls) {
            const isStored = database.stored.includes(item.id);
            // Stored at most once; and an answer that nothing was stored stays true.
            expect(database.stored.filter((id) => id === item.id).length).toBeLessThanOrEqual(1);
            if (told?.includes('Nothing was stored') || refusedAtOnce) expect(isStored).toBe(false);
            if (typeof result === 'number') expect([result, isStored]).toEqual([item.id, true]);
            else if (!(result instanceof OutcomeUnknownError)) expect(isStored).toBe(false);
            if (item.isPoison) expect(isStored).toBe(false);
          }
        },
      ),
      { numRuns: 400 },
    );
  });

  it('drops an item whose call was refused', async () => {
    const { promise, resolve } = Promise.withResolvers<number[]>();
    const batcher = new Batcher<number, number>(() => promise, {
      maxItems: 1,
      bytesOf: () => 10,
      maxWaitingBytes: 10,
    });
    const first = batcher.add(1);
    await turn();
    for (let round = 0; round < 5; round++) {
      const call = new Call();
      const second = batcher.add(2, call);
      expect(call.refuse().message).toContain('Nothing was stored');
      await expect(second).rejects.toMatchObject({ code: 'database_unavailable' });
    }
    resolve([1]);
    expect(await first).toBe(1);
  });

  it('runs the first item at once, and gathers those that follow within the least time between batches', async () => {
    const batches: number[][] = [];
    const run = async (items: number[]) => {
      batches.push(items);
      return items;
    };
    const batcher = new Batcher<number, number>(run, { maxItems: 10, everyMs: 100 });
    const first = batcher.add(1);
    await turn();
    expect(batches).toEqual([[1]]);
    await first;
    const second = batcher.add(2);
    await turn();
    expect(await Promise.all([second, batcher.add(3)])).toEqual([2, 3]);
    expect(batches).toEqual([[1], [2, 3]]);
  });

  it('keeps the order of batches, also of one that runs again without an item whose row is locked', async () => {
    const committed: number[] = [];
    const locked = Promise.withResolvers<void>();
    const run = async (items: number[], inTurn: () => Promise<void>) => {
      await inTurn();
      if (items.includes(1)) {
        await locked.promise;
        throw new LockedRowsError(new Set(['1']));
      }
      await turn();
      committed.push(...items);
      return items;
    };
    const options = { maxItems: 2, parallel: 2, keysOf: (item: number) => [`${item}`] };
    const batcher = new Batcher<number, number>(run, options);
    const results = Promise.allSettled([1, 2, 3].map((item) => batcher.add(item)));
    // Both batches have begun.
    for (let turns = 0; turns < 5; turns++) await turn();
    locked.resolve();
    const [first] = await results;
    expect(first?.status).toBe('rejected');
    expect(committed).toEqual([2, 3]);
  });
});
