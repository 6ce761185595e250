import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { batchOf, type Candidate, type CandidateTrigger, ROOM } from './batch.js';

interface World {
  candidates: Candidate[];
  triggers: CandidateTrigger[];
}

const AGE = 100;

const world = fc
  .array(
    fc.record({
      triggeredAt: fc.option(fc.integer({ min: 0, max: 120 })),
      bytes: fc.constantFrom(0, 0, 10_000, 1_000_000),
      triggers: fc.array(
        fc.record({ isOpen: fc.nat(20).map((n) => n === 0), attempts: fc.constantFrom(0, 1, 8, 80, ROOM) }),
        { maxLength: 30 },
      ),
      // A few have more triggers than are read at once.
      times: fc.constantFrom(1, 1, 1, ROOM / 20),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((notifications): World => {
    const idOf = (n: number) => `n${String(n).padStart(3, '0')}`;
    return {
      candidates: notifications.map(({ triggeredAt, bytes }, n) => ({ id: idOf(n), triggeredAt, bytes })),
      triggers: notifications.flatMap(({ triggers, times }, n) =>
        Array.from({ length: times }, () => triggers)
          .flat()
          .map((one, t) => ({
            ...one,
            id: `${idOf(n)}t${String(t).padStart(4, '0')}`,
            notificationId: idOf(n),
          })),
      ),
    };
  });

/** What reading with a limit finds. */
const planned = ({ candidates, triggers }: World) => batchOf(candidates, triggers.slice(0, ROOM + 1), AGE);

describe('A batch', () => {
  it('deals with a beginning of the candidates, each finished and of age, or passed over', () => {
    fc.assert(
      fc.property(world, (given) => {
        const { ids, ready, isPart } = planned(given);
        const { candidates, triggers } = given;
        expect(ids).not.toEqual([]);
        expect(ids).toEqual(candidates.slice(0, ids.length).map(({ id }) => id));
        for (const { id, exists, triggerIds } of ready) {
          const own = triggers.filter(({ notificationId }) => notificationId === id);
          const { triggeredAt } = candidates.find((one) => one.id === id) as Candidate;
          expect(exists).toBe(triggeredAt !== null);
          expect(triggeredAt ?? 0).toBeLessThanOrEqual(AGE);
          const taken = isPart ? own.slice(0, triggerIds.length) : own;
          expect(triggerIds).toEqual(taken.map((one) => one.id));
          expect(taken.some(({ isOpen }) => isOpen)).toBe(false);
        }
      }),
    );
  });

  it('passes over none that is finished and of age', () => {
    fc.assert(
      fc.property(world, (given) => {
        const { ids, ready, isPart } = planned(given);
        const finished = given.candidates.slice(0, ids.length).filter(({ id, triggeredAt }) => {
          const isOpen = given.triggers.some((one) => one.notificationId === id && one.isOpen);
          return (triggeredAt ?? 0) <= AGE && !isOpen;
        });
        if (!isPart) expect(ready.map(({ id }) => id)).toEqual(finished.map(({ id }) => id));
      }),
    );
  });

  it('fits, unless a single trigger does not', () => {
    fc.assert(
      fc.property(world, (given) => {
        const { ids, ready, isPart } = planned(given);
        const weights = ready.flatMap(({ triggerIds }) =>
          triggerIds.map((id) => 1 + (given.triggers.find((one) => one.id === id)?.attempts ?? 0)),
        );
        const sum = weights.reduce((total, one) => total + one, 0);
        if (weights.length > 1) expect(sum).toBeLessThanOrEqual(ROOM);
        if (isPart) expect(ids).toHaveLength(1);
      }),
    );
  });

  it('comes to the end of any candidates', () => {
    fc.assert(
      fc.property(world, (given) => {
        let left = given;
        for (let steps = 0; left.candidates.length > 0; steps++) {
          expect(steps).toBeLessThan(given.candidates.length + given.triggers.length);
          const { ids, ready, isPart } = planned(left);
          const gone = new Set(ready.flatMap(({ triggerIds }) => triggerIds));
          left =
            isPart && gone.size > 0
              ? { ...left, triggers: left.triggers.filter(({ id }) => !gone.has(id)) }
              : {
                  candidates: left.candidates.slice(ids.length),
                  triggers: left.triggers.filter(({ notificationId }) => !ids.includes(notificationId)),
                };
        }
      }),
    );
  });
});
