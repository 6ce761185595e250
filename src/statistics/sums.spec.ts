import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type CountedAttempt, deltasOf, entriesFrom } from './delta.js';
import { stepAt } from './span.js';
import { STATISTIC_STEPS } from './statistic.entity.js';
import { ALL, RowSums } from './sums.js';

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

const textsOf = (lists: CountedAttempt[][]) => deltasOf(lists).rows.map(([, text]) => text as string);

describe('The sums of deltas', () => {
  it('count each attempt once in each row that it belongs to', () => {
    fc.assert(
      fc.property(batches, (lists) => {
        const sums = new RowSums();
        for (const text of textsOf(lists)) for (const entry of entriesFrom(text)) sums.add(entry);
        for (const { key, counts } of sums.all()) {
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
        expect(sums.all()).toHaveLength(rows.size);
      }),
    );
  });

  it('are the same however the attempts are split into deltas', () => {
    fc.assert(
      fc.property(batches, (lists) => {
        const sumOf = (texts: string[]) => {
          const sums = new RowSums();
          for (const text of texts) for (const entry of entriesFrom(text)) sums.add(entry);
          return sums.all();
        };
        expect(sumOf(textsOf([lists.flat()]))).toEqual(sumOf(textsOf(lists)));
      }),
    );
  });
});
