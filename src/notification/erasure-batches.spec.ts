import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { batchesOf, costOf, MAX_COST } from './erasure-batches.js';

const erasable = fc.record({
  id: fc.uuid(),
  bytes: fc.nat(1024 * 1024),
  triggers: fc.nat(300),
  attempts: fc.nat(600),
});

describe('the batches of an erasure', () => {
  it('hold every notification once, in order', () => {
    fc.assert(fc.property(fc.array(erasable), (all) => expect(batchesOf(all).flat()).toEqual(all)));
  });

  it('cost no more than a transaction may, unless a single notification does', () => {
    const cost = (batch: Parameters<typeof batchesOf>[0]) => batch.reduce((sum, one) => sum + costOf(one), 0);
    fc.assert(
      fc.property(fc.array(erasable), (all) => {
        for (const batch of batchesOf(all)) expect(batch.length === 1 || cost(batch) <= MAX_COST).toBe(true);
      }),
    );
  });

  it('are as large as they may be', () => {
    const all = Array.from({ length: 1000 }, () => ({ id: 'n', bytes: 400, triggers: 1, attempts: 1 }));
    expect(batchesOf(all)).toHaveLength(8);
  });
});
