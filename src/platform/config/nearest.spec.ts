import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { nearest } from './nearest.js';

const NAMES = ['encryptionKeys', 'delivery', 'role', 'timeoutMs', 'retryScheduleMs', 'concurrency'];

describe('nearest', () => {
  it.each([
    ['delivry', 'delivery'],
    ['Delivery', 'delivery'],
    ['delivrey', 'delivery'],
    ['encryptionKey', 'encryptionKeys'],
    ['encryptKeys', 'encryptionKeys'],
    ['timeout', 'timeoutMs'],
    ['retrySchedule', 'retryScheduleMs'],
    ['timeout_ms', 'timeoutMs'],
    ['rol', 'role'],
  ])('finds what %s means', (given, meant) => expect(nearest(given, NAMES)).toBe(meant));

  it.each(['', 'x', 'retries', 'keys', 'prefix', '__proto__'])('guesses nothing for "%s"', (given) =>
    expect(nearest(given, NAMES)).toBeUndefined(),
  );

  it('finds each name itself, and one with a letter replaced', () => {
    const place = fc.tuple(fc.constantFrom(...NAMES), fc.nat(), fc.constantFrom('x', 'Q', '_'));
    fc.assert(
      fc.property(place, ([name, position, letter]) => {
        const wrong = [...name].with(position % name.length, letter).join('');
        expect(nearest(name, NAMES)).toBe(name);
        expect(nearest(wrong, NAMES)).toBe(name);
      }),
    );
  });
});
