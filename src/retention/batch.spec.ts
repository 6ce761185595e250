import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Batch, batchOf, type Candidate, type CandidateTrigger } from './batch.js';

interface World {
  candidates: Candidate[];
  triggers: CandidateTrigger[];
}

const AGE = 100;
const isOfAge = (at: number) => at <= AGE;

const world = fc
  .array(
    fc.record({
      triggeredAt: fc.option(fc.integer({ min: 0, max: 120 })),
      bytes: fc.constantFrom(0, 0, 10_000, 1_000_000),
      triggers: fc.array(
        fc.record({ isOpen: fc.boolean().map((open) => open), attempts: fc.integer({ min: 0, max: 8 }) }),
        { maxLength: 12 },
      ),
    }),
    { minLength: 1, maxLength: 20 },
  )
  .map((notifications): World => {
    const idOf = (n: number) => `n${String(n).padStart(3, '0')}`;
    return {
      candidates: notifications.map(({ triggeredAt, bytes }, n) => ({ id: idOf(n), triggeredAt, bytes })),
      triggers: notifications.flatMap(({ triggers }, n) =>
        triggers.map((one, t) => ({
          ...one,
          id: `${idOf(n)}t${String(t).padStart(2, '0')}`,
          notificationId: idOf(n),
        })),
      ),
    };
  });

/** What reading with a limit finds. */
function planned({ candidates, triggers }: World, room: number): Batch {
  const read = triggers.slice(0, room + 1);
  return batchOf(candidates, read, read.length > room, isOfAge, room);
}

describe('A batch', () => {
  it('deals with a beginning of the candidates, each finished and of age, or passed over', () => {
    fc.assert(
      fc.property(world, fc.integer({ min: 1, max: 60 }), (given, room) => {
        const batch = planned(given, room);
        const { candidates, triggers } = given;
        const dealt = [...batch.ready.map(({ id }) => id), ...batch.waiting].sort();
        expect(dealt).toEqual(candidates.slice(0, dealt.length).map(({ id }) => id));
        expect(batch.end).toBe(dealt.at(-1));
        for (const { id, triggerIds } of batch.ready) {
          const own = triggers.filter(({ notificationId }) => notificationId === id);
          const { triggeredAt } = candidates.find((one) => one.id === id) as Candidate;
          expect(triggeredAt === null || isOfAge(triggeredAt)).toBe(true);
          if (!batch.isPart) {
            expect(triggerIds).toEqual(own.map((one) => one.id));
            expect(own.some(({ isOpen }) => isOpen)).toBe(false);
          }
        }
      }),
    );
  });

  it('fits, unless a single notification does not', () => {
    fc.assert(
      fc.property(world, fc.integer({ min: 10, max: 60 }), (given, room) => {
        const { ready, isPart } = planned(given, room);
        const weight = ready.flatMap(({ triggerIds }) =>
          triggerIds.map((id) => 1 + (given.triggers.find((one) => one.id === id)?.attempts ?? 0)),
        );
        const sum = weight.reduce((total, one) => total + one, 0);
        expect(sum).toBeLessThanOrEqual(room);
        if (isPart) expect(ready).toHaveLength(1);
      }),
    );
  });

  it('comes to the end of any candidates', () => {
    fc.assert(
      fc.property(world, fc.integer({ min: 1, max: 60 }), (given, room) => {
        let left = given;
        for (let steps = 0; left.candidates.length > 0; steps++) {
          expect(steps).toBeLessThan(500);
          const { ready, isPart, end } = planned(left, room);
          const gone = new Set(ready.flatMap(({ triggerIds }) => triggerIds));
          left = isPart
            ? { ...left, triggers: left.triggers.filter(({ id }) => !gone.has(id)) }
            : {
                candidates: left.candidates.filter(({ id }) => id > end),
                triggers: left.triggers.filter(({ notificationId }) => notificationId > end),
              };
        }
      }),
    );
  });
});
