import { z } from 'zod';
import { SCOPES } from '../platform/access/scope.js';
import { isId } from '../platform/ids/ids.js';
import { hasControlCharacters, line, userId } from '../platform/line.js';

// Request fields that more than one resource has. Messages complete the sentence "this field …".

export { line, userId };

/** Any text but the empty one, control characters included. */
export const text = (max: number, error = 'must be a string') =>
  z
    .string({ error })
    .min(1, { error: 'must not be empty' })
    .max(max, { error: `must be at most ${max} characters` });

/** One of these words. */
export const oneOf = <const Words extends readonly string[]>(words: Words) =>
  z.enum(words, { error: `must be one of ${words.join(', ')}` });

export const scopes = z.array(oneOf(SCOPES), { error: 'must be an array of scopes' });

/** One line of ASCII text. MySQL compares an ASCII column with nothing else. */
export const asciiLine = (max: number) =>
  line(max).regex(/^[ -~]*$/, { error: 'must hold ASCII characters only' });

const KIND = /^[A-Z][A-Z0-9_]{0,63}$/;

/** Whether a kind of event may have this name. */
export const isKindName = (text: string) => KIND.test(text);

const KIND_ERROR = { error: 'must be an event kind: upper snake case, such as RECORD_FINISHED' };

/** The name of a kind of event in a query. It need not be known: an application may have had other kinds before. */
export const kindName = z.string(KIND_ERROR).refine(isKindName, KIND_ERROR);

/** Several lines of text. */
export const paragraph = (max: number) =>
  z
    .string({ error: 'must be a string' })
    .max(max, { error: `must be at most ${max} characters` })
    .refine((text) => text.isWellFormed() && !hasControlCharacters(text.replace(/[\t\r\n]/g, '')), {
      error: 'must not hold control characters',
    });

export const id = z
  .string({ error: 'must be an id' })
  .refine(isId, {
    error: 'must be an id: a UUIDv7 in lower case, such as 0199aa2e-7d5c-7c3e-9d0b-0c7e5a1f3b42',
  })
  .meta({ format: 'uuid' });

export const flag = z.boolean({ error: 'must be true or false' });

/** A boolean in a query string. */
export const queryFlag = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .transform((text) => text === 'true');

const DATE_TIME = /^(\d{4}-\d\d-\d\d)[Tt ]([01]\d|2[0-3]):\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

function isDateTime(text: string): boolean {
  const date = DATE_TIME.exec(text)?.[1];
  if (date === undefined || Number.isNaN(Date.parse(text))) return false;
  // Date parses 30 February as 2 March.
  return new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);
}

const DATE_TIME_ERROR = { error: 'must be an RFC 3339 date and time, such as 2026-11-21T10:15:30.123Z' };

/** Stays text; see `timeOf`. */
export const dateTime = z
  .string(DATE_TIME_ERROR)
  .refine(isDateTime, DATE_TIME_ERROR)
  .meta({ format: 'date-time' });

/** The paging parameters of every list. */
export const paging = {
  limit: z
    .string()
    .regex(/^\d{1,3}$/, { error: 'must be a whole number from 1 to 100' })
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= 100, { error: 'must be a whole number from 1 to 100' })
    .default(20)
    .meta({ description: 'Rows on a page: 1 to 100, 20 unless given' }),
  cursor: z
    .string({ error: 'must be given once' })
    .max(200, { error: 'was not issued by this list' })
    .optional()
    .meta({ description: '`next_cursor` of the page before' }),
};

/** A query that names one object, and nothing else. */
export const idQuery = z.strictObject({ id });
export type IdQuery = z.infer<typeof idQuery>;

/** A query without parameters. */
export const noQuery = z.strictObject({});
