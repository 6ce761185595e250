import { z } from 'zod';

export const flag = z.boolean({ error: 'must be true or false' });

export const wholeNumber = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.number({ error }).int({ error }).min(min, { error }).max(max, { error });
};

/** A whole number from `min` to `max`, both included. Its default must lie between them. */
export const bounded = (min: number, max: number, fallback: number) =>
  wholeNumber(min, max).default(wholeNumber(min, max).parse(fallback));

/** A number of these units, with fractions, from `min` to `max`. */
export const fraction = (min: number, max: number, fallback: number, units: string) => {
  const error = `must be a number of ${units} from ${min} to ${max}`;
  return z.number({ error }).min(min, { error }).max(max, { error }).default(fallback);
};

export const oneOf = <const T extends string>(values: readonly T[], fallback: NoInfer<T>) =>
  z.enum(values, { error: `must be one of ${values.join(', ')}` }).default(fallback);

/** @param read throws an Error whose message completes the sentence "this setting …". */
export const parsed = <T>(read: (text: string) => T) =>
  z.string({ error: 'must be a text' }).transform((text, context) => {
    try {
      return read(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
      return z.NEVER;
    }
  });

/** The entries of a comma-separated list. */
export const split = (text: string) => text.split(',').map((entry) => entry.trim());
