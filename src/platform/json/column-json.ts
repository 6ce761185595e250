import { Logger } from '@nestjs/common';

/** Where something is kept. Neither part may say anything of its content. */
interface Cell {
  /** The table and the column, such as `webhook.settings`. */
  column: string;
  /** The id of the row. */
  row: string;
}

/** Tells whether a value has the form that its readers rely on. */
export type Form = (value: unknown) => boolean;

const MAX_WARNINGS = 1000;
const logger = new Logger('Database');
const warned = new Set<string>();

/**
 * Reads JSON that a column holds. A row that cannot be read, because somebody changed it or a restore cut it off, must not
 * stop what is done for others: it is null, and an operator is warned once which one it is. Its content is not logged.
 *
 * @param parse reads more than `JSON.parse` does.
 */
export function columnJson<T>(
  text: string,
  cell: Cell,
  isForm: Form,
  parse: (text: string) => unknown = JSON.parse,
): T | null {
  const value = formedJson<T>(text, isForm, parse);
  if (value === null) tellUnreadable(cell);
  return value;
}

/** The same where whoever reads the whole row tells it. */
export function formedJson<T>(
  text: string,
  isForm: Form,
  parse: (text: string) => unknown = JSON.parse,
): T | null {
  try {
    const value = parse(text);
    return isForm(value) ? (value as T) : null;
  } catch {
    // The error would quote the text.
    return null;
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isObjectOf = (isValue: Form) => (value: unknown) =>
  isObject(value) && Object.values(value).every(isValue);

export const isText = (value: unknown): value is string => typeof value === 'string';

/** An object whose values are finite numbers. */
export const isNumbers = isObjectOf(Number.isFinite) as (value: unknown) => value is Record<string, number>;

/** An object whose values are texts. */
export const isTexts = isObjectOf(isText) as (value: unknown) => value is Record<string, string>;

/** An object whose values are texts or null. */
export const isTextsOrNull = isObjectOf((value) => value === null || isText(value));

/** Tells an operator, once, that what a column holds is not what was written there. */
export function tellUnreadable({ column, row }: Cell): void {
  const name = `${column} of ${row}`;
  if (warned.has(name) || warned.size > MAX_WARNINGS) return;
  warned.add(name);
  logger.error(
    warned.size > MAX_WARNINGS
      ? `More than ${MAX_WARNINGS} columns cannot be read. The others are not named until the next start.`
      : `The column ${name} cannot be read. It counts as empty until it is written again.`,
  );
}
