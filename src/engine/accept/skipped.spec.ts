import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newId } from '../../platform/ids/ids.js';
import { SKIP_REASONS } from './decision-set.js';
import { countOf, firstOf, LETTER_OF, setIdOf, skippedWebhooksOf, withFiltered } from './skipped.js';

const entries = fc
  .array(fc.constantFrom(...SKIP_REASONS), { maxLength: 30 })
  .map((reasons) => reasons.map((reason) => ({ id: newId(), reason })));
const textOf = (all: { id: string; reason: (typeof SKIP_REASONS)[number] }[]) =>
  all.map(({ id, reason }) => id + LETTER_OF[reason]).join('');

describe('Skipped webhooks', () => {
  it('are read back by reason, in their order', () => {
    fc.assert(
      fc.property(entries, (all) => {
        const read = skippedWebhooksOf(textOf(all));
        for (const wanted of SKIP_REASONS) {
          const ids = all.flatMap(({ id, reason }) => (reason === wanted ? [id] : []));
          expect(read[wanted] ?? []).toEqual(ids);
        }
        expect(countOf(textOf(all))).toBe(all.length);
      }),
    );
  });

  it('take one more in its place, as filtered', () => {
    fc.assert(
      fc.property(entries, fc.nat(), (all, at) => {
        const one = all.splice(at % (all.length + 1), 1)[0];
        if (!one) return;
        const expected = [...all, { ...one, reason: 'filtered' as const }].sort((a, b) =>
          a.id < b.id ? -1 : 1,
        );
        expect(withFiltered(textOf(all), [{ webhookId: one.id, part: null }])).toBe(textOf(expected));
      }),
    );
  });

  it('say which part of a filter did not match', () => {
    const [first, second, third] = [newId(), newId(), newId()];
    const skipped = withFiltered(textOf([{ id: second, reason: 'not_subscribed' }]), [
      { webhookId: third, part: '/a~1b/$gt' },
      { webhookId: first, part: '/a' },
    ]);
    expect(skippedWebhooksOf(skipped)).toEqual({
      not_subscribed: [second],
      filtered: [first, third],
      parts: { [first]: '/a', [third]: '/a~1b/$gt' },
    });
    expect(withFiltered('', [{ webhookId: first, part: '/a' }])).not.toBe(
      withFiltered('', [{ webhookId: first, part: '/b' }]),
    );
  });

  it('may be cut off', () => {
    const all = Array.from({ length: 3 }, () => ({ id: newId(), reason: 'filtered' as const }));
    const text = textOf(all);
    expect(countOf(text.slice(0, -1))).not.toBe(3);
    expect(firstOf(text, 2)).toBe(textOf(all.slice(0, 2)));
    expect(() => skippedWebhooksOf(text.slice(0, -1))).toThrow('no known reason');
  });

  it('have the id of their content, of 22 characters', () => {
    expect(setIdOf('a')).toMatch(/^[\w-]{22}$/);
    expect(setIdOf('a')).toBe(setIdOf('a'));
    expect(setIdOf('a')).not.toBe(setIdOf('b'));
  });
});
