import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SeenIds } from './seen-ids.js';

describe('the ids of changes that were seen', () => {
  it('are complete up to the first one that is missing', () => {
    const seen = new SeenIds(10);
    expect([11, 14, 15, 14].map((id) => seen.see(id, 0))).toEqual([true, true, true, false]);
    expect([seen.complete, seen.newest, seen.missing]).toEqual([11, 15, [[12, 13]]]);
    expect(seen.see(12, 1)).toBe(true);
    expect([seen.complete, seen.missing]).toEqual([12, [[13, 13]]]);
    expect(seen.see(9, 1)).toBe(false);
    expect(seen.see(13, 1)).toBe(true);
    expect([seen.complete, seen.missing]).toEqual([15, []]);
  });

  it('are given up when they have been missing for long', () => {
    const seen = new SeenIds(0);
    seen.see(2, 100);
    seen.see(4, 200);
    seen.giveUp(150);
    expect([seen.complete, seen.missing, seen.see(1, 300)]).toEqual([2, [[3, 3]], false]);
    seen.giveUp(201);
    expect([seen.complete, seen.missing]).toEqual([4, []]);
  });

  it('are looked out for as one span where there are many gaps', () => {
    const seen = new SeenIds(0);
    for (let id = 3; id <= 600; id += 3) seen.see(id, 0);
    expect(seen.missing).toEqual([[1, 599]]);
    expect([seen.see(3, 0), seen.see(4, 0), seen.see(4, 0)]).toEqual([false, true, false]);
  });

  it('count once each, in whatever order they appear', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 60 })), (ids) => {
        const seen = new SeenIds(0);
        const known = new Set<number>();
        for (const id of ids) {
          expect(seen.see(id, 0)).toBe(!known.has(id));
          known.add(id);
          const newest = Math.max(...known);
          const missing = Array.from({ length: newest }, (_, i) => i + 1).filter((one) => !known.has(one));
          expect(seen.newest).toBe(newest);
          expect(seen.complete).toBe((missing[0] ?? newest + 1) - 1);
          const spans = seen.missing.flatMap(([from, to]) =>
            Array.from({ length: to - from + 1 }, (_, i) => from + i),
          );
          expect(spans).toEqual(missing);
        }
      }),
    );
  });
});
