import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { STATISTIC_STEPS } from '../../store/tables/statistic.entity.js';
import { addCounts, type Counts, isSuccess, noCounts } from './counts.js';
import { type CountedAttempt, deltasOf, entriesFrom } from './delta.js';
import { stepAt } from './span.js';
import { ALL, nameOf, type RowSum, RowSums } from './sums.js';

/** An attempt counts in three steps, for three owners, with its kind and for all. */
const ROWS_OF_ONE = 18;
const NOW = Date.UTC(2026, 10, 21, 23, 58);

const attempt: fc.Arbitrary<CountedAttempt> = fc
  .record({
    webhook: fc.nat(3),
    eventKind: fc.constantFrom('A', 'B'),
    endAt: fc.integer({ min: NOW, max: NOW + 5 * 60_000 }),
    ms: fc.nat(20_000),
    outcome: fc.constantFrom('200', '204', '503', 'timeout'),
    exhausted: fc.boolean(),
  })
  .map(({ webhook, ms, endAt, ...more }) => ({
    ...more,
    userId: `user ${webhook % 2} "\\é`,
    webhookId: `webhook-${webhook}`,
    beginAt: endAt - ms,
    endAt,
  }));

const batches = fc.array(fc.array(attempt, { minLength: 1, maxLength: 20 }), { maxLength: 10 });

const deltasFrom = (lists: CountedAttempt[][]) =>
  deltasOf(lists).rows.map(([id, counts]) => ({ id: id as string, counts: counts as string }));

function sumsOf(lists: CountedAttempt[][]): RowSums {
  const sums = new RowSums();
  for (const delta of deltasFrom(lists)) for (const entry of entriesFrom(delta)) sums.add(entry);
  return sums;
}
const allOf = (lists: CountedAttempt[][]): RowSum[] =>
  [...sumsOf(lists).parts(Number.POSITIVE_INFINITY)].flatMap(({ rows }) => rows);

describe('The sums of deltas', () => {
  it('count each attempt once in each row that it belongs to', () => {
    fc.assert(
      fc.property(batches, (lists) => {
        const all = allOf(lists);
        for (const { key, counts } of all) {
          const its = lists
            .flat()
            .filter(
              (one) =>
                stepAt(key.step, one.endAt) === key.beginAt &&
                [ALL, one.userId].includes(key.userId) &&
                [ALL, one.webhookId].includes(key.webhookId) &&
                [ALL, one.eventKind].includes(key.eventKind),
            );
          const of = (outcome: string) => its.filter((one) => one.outcome === outcome).length || undefined;
          for (const outcome of ['200', '204', '503', 'timeout']) {
            expect(counts.codes[outcome]).toBe(of(outcome));
          }
          expect(counts.exhausted).toBe(its.filter(({ exhausted }) => exhausted).length);
          expect(Object.values(counts.durations).reduce((sum, count) => sum + count, 0)).toBe(its.length);
        }
        const rows = new Set(
          lists
            .flat()
            .flatMap(({ userId, webhookId, eventKind, endAt }) =>
              STATISTIC_STEPS.flatMap((step) =>
                [`${userId} ${webhookId}`, userId, ''].flatMap((owner) =>
                  [eventKind, ''].map((kind) => `${step} ${stepAt(step, endAt)} ${owner} ${kind}`),
                ),
              ),
            ),
        );
        expect(all).toHaveLength(rows.size);
      }),
    );
  });

  it('are the same however the attempts are split into deltas', () => {
    fc.assert(
      fc.property(batches, (lists) => {
        expect(allOf([lists.flat()])).toEqual(allOf(lists));
      }),
    );
  });

  it('are the same in parts, none of which is much larger than was asked for', () => {
    fc.assert(
      fc.property(batches, fc.integer({ min: 1, max: 100 }), (lists, maxRows) => {
        const whole = new Map(allOf(lists).map(({ key, counts }) => [nameOf(key), counts]));
        const added = new Map<string, Counts>();
        for (const { entries, rows } of sumsOf(lists).parts(maxRows)) {
          expect(rows.length).toBeLessThan(maxRows + ROWS_OF_ONE);
          expect(entries.length).toBeGreaterThan(0);
          for (const { key, counts } of rows) {
            const sum = added.get(nameOf(key)) ?? noCounts();
            addCounts(sum, counts);
            added.set(nameOf(key), sum);
          }
        }
        expect(added).toEqual(whole);
      }),
    );
  });
});

describe('The codes of a sum', () => {
  const sumOf = (codes: (number | string)[]) => {
    const sum = noCounts();
    for (const code of codes) addCounts(sum, { codes: { [code]: 1 }, exhausted: 0, durations: {} });
    return sum.codes;
  };
  const some = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);

  it('are those that were answered, as long as there are no more than a hundred', () => {
    const codes = [...some(200, 50), ...some(520, 48), 'timeout', 'dns_failure'];
    expect(sumOf(codes)).toEqual(Object.fromEntries(codes.map((code) => [code, 1])));
  });

  it('are bounded, whatever receivers answer, and say of each attempt whether it succeeded', () => {
    const codes = sumOf([...some(600, 300), ...some(200, 100), ...some(300, 300), 'timeout', 429]);
    expect(Object.keys(codes).length).toBeLessThan(200);
    expect(codes).toMatchObject({ 600: 1, 204: 1, 404: 1, 429: 2, 503: 1, timeout: 1 });
    const entries = Object.entries(codes);
    const countOf = (some: [string, number][]) => some.reduce((sum, [, count]) => sum + count, 0);
    expect(countOf(entries)).toBe(702);
    expect(countOf(entries.filter(([code]) => isSuccess(code)))).toBe(100);
  });
});
