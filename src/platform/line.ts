import { z } from 'zod';

const CONTROL = /\p{Cc}/u;

export const hasControlCharacters = (text: string): boolean => CONTROL.test(text);

/** One line of text. */
export const line = (max: number) =>
  z
    .string({ error: 'must be a string' })
    .min(1, { error: 'must not be empty' })
    .max(max, { error: `must be at most ${max} characters` })
    .refine((text) => text.isWellFormed() && !hasControlCharacters(text), {
      error: 'must not hold control characters',
    });

/** MySQL ignores trailing spaces in comparisons, so "a" and "a " would be the same user. */
export const userId = line(128).refine((text) => text.trim() === text, {
  error: 'must not begin or end with a blank',
});
