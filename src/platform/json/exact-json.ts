import { randomUUID } from 'node:crypto';
import { stringEnd } from './json-text.js';
import { writeJson, writeMapped } from './write-json.js';

/**
 * A number of a JSON text with its exact value: a whole number beyond 2^53 is a bigint. JavaScript compares the two kinds
 * exactly with each other.
 */
export type ExactNumber = number | bigint;

/** Whole numbers of more digits are read as infinite. */
export const MAX_DIGITS = 1000;

/** The most numbers beyond 2^53 in a body. */
export const MAX_EXACT = 20_000;

/** The most digits that exponents may stand for in a body: `1e999` has six characters, and takes as long as a thousand. */
export const MAX_UNWRITTEN = 100_000;

/** Longer numbers are read rounded, digits that make no difference included: what reads them examines each digit. */
const MAX_SOURCE = 4096;

/** Where a number may begin to have more digits than fit, or an exponent. */
const ROUNDED = /\d{16}|\d[eE]\+?\d/g;
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const EXPONENT = /[eE]\+?(\d+)$/;
/** Nobody else can write a string that begins like this. */
const MARK = `\0${randomUUID()}`;
/** The beginning of such a string in JSON. */
const OPENING = writeJson(MARK).slice(0, -1);

/**
 * Reads JSON like `JSON.parse`, but keeps the source of numbers that would be rounded: {@link numberOf} reads those. Much
 * faster than a reviver, and of large texts above all. Only the first {@link MAX_EXACT} and one of them are kept.
 *
 * @throws SyntaxError
 */
export const parseMarked = (text: string): unknown => JSON.parse(mayBeRounded(text) ? marked(text) : text);

/** Whether `JSON.parse` might round a number of the text. Strings that look like such numbers count as well. */
export function mayBeRounded(text: string): boolean {
  ROUNDED.lastIndex = 0;
  return ROUNDED.test(text);
}

/**
 * Reads JSON with {@link ExactNumber}s.
 *
 * @returns undefined if more than {@link MAX_EXACT} of its numbers would be rounded, or their exponents stand for more than
 * {@link MAX_UNWRITTEN} digits: each takes some microseconds.
 * @throws SyntaxError
 */
export const parseExactly = (text: string): unknown => exactValue(parseMarked(text));

/** A value of {@link parseMarked} as {@link parseExactly} reads it. */
export function exactValue(value: unknown): unknown {
  let count = 0;
  let unwritten = 0;
  const exact = mapped(value, (item) => {
    if (!isMarked(item)) return item;
    count++;
    unwritten += unwrittenIn(item);
    return count <= MAX_EXACT && unwritten <= MAX_UNWRITTEN ? numberOf(item) : item;
  });
  return count > MAX_EXACT || unwritten > MAX_UNWRITTEN ? undefined : exact;
}

/** How many digits {@link numberOf} works on, at most. @param value one that {@link isMarked} */
export const digitsOf = (value: string): number => value.length - MARK.length + unwrittenIn(value);

function unwrittenIn(value: string): number {
  const exponent = EXPONENT.exec(value.slice(MARK.length))?.[1];
  return exponent === undefined ? 0 : Math.min(Number(exponent), MAX_DIGITS);
}

/** The number that a value of {@link parseMarked} is; null for anything else. */
export function numberOf(value: unknown): ExactNumber | null {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  return isMarked(value) ? exactly(value.slice(MARK.length)) : null;
}

/** The string that a value of {@link parseMarked} is; null for anything else. */
export const stringOf = (value: unknown): string | null =>
  typeof value === 'string' && !isMarked(value) ? value : null;

/** Writes JSON with the digits of its bigints. */
export const writeExactly = (value: unknown): string => writeMapped(value, raw);

/** The value with its bigints in a form that `JSON.stringify` writes. */
export const withRawNumbers = (value: unknown): unknown => mapped(value, raw);

const raw = (value: unknown): unknown =>
  typeof value === 'bigint' ? (JSON as unknown as RawJson).rawJSON(String(value)) : value;

interface RawJson {
  rawJSON(source: string): unknown;
}

/** Whether {@link numberOf} reads a value by its source. */
export function isMarked(value: unknown): value is string {
  return typeof value === 'string' && value.charCodeAt(0) === 0 && value.startsWith(MARK);
}

/** Puts numbers that would be rounded into strings. */
function marked(text: string): string {
  let out = '';
  let copied = 0;
  let count = 0;
  // Where the first string begins that does not end before the place reached.
  let quote = quoteFrom(text, 0);
  ROUNDED.lastIndex = 0;
  for (let found = ROUNDED.exec(text); found && count <= MAX_EXACT; found = ROUNDED.exec(text)) {
    let end = 0;
    while (quote < found.index) {
      end = stringEnd(text, quote);
      quote = quoteFrom(text, end);
    }
    // It stands in a string otherwise.
    if (end <= found.index) {
      const start = startOfNumber(text, found.index);
      end = endOfNumber(text, found.index);
      out += text.slice(copied, start) + kept(text.slice(start, end));
      copied = end;
      count++;
    }
    ROUNDED.lastIndex = end;
  }
  return out + text.slice(copied);
}

function kept(source: string): string {
  if (source.length <= MAX_SOURCE) return `${OPENING}${source}"`;
  const rounded = Number(source);
  // What overflows when it is read is infinite.
  return Number.isFinite(rounded) ? String(rounded) : `${source.startsWith('-') ? '-' : ''}1e999`;
}

function quoteFrom(text: string, from: number): number {
  const quote = text.indexOf('"', from);
  return quote < 0 ? Number.POSITIVE_INFINITY : quote;
}

const isOfNumber = (text: string, at: number) => '+-.0123456789eE'.includes(text.charAt(at) || ' ');

function startOfNumber(text: string, within: number): number {
  let start = within;
  while (isOfNumber(text, start - 1)) start--;
  return start;
}

function endOfNumber(text: string, within: number): number {
  let end = within;
  while (isOfNumber(text, end)) end++;
  return end;
}

/** @param source a JSON number. */
function exactly(source: string): ExactNumber {
  const rounded = Number(source);
  if (Number.isSafeInteger(rounded)) return rounded;
  const [, sign = '', whole = '', decimals = '', exponent = '0'] = NUMBER.exec(source) ?? [];
  const digits = whole + decimals;
  const end = endWithoutZeros(digits);
  const zeros = Number(exponent) - decimals.length + digits.length - end;
  const isWhole = zeros >= 0;
  if (!isWhole) return rounded;
  const significant = digits.slice(0, end).replace(/^0+/, '');
  if (significant.length + zeros > MAX_DIGITS)
    return sign ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return BigInt(`${sign}${significant || '0'}${'0'.repeat(zeros)}`);
}

/** A regular expression would take quadratic time for zeros in the middle. */
function endWithoutZeros(digits: string): number {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === 0x30) end--;
  return end;
}

/** The value with each of its scalars replaced. */
function mapped(value: unknown, to: (scalar: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => mapped(item, to));
  if (typeof value !== 'object' || value === null) return to(value);
  // Not by assignment, which would set the prototype for the name __proto__.
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapped(item, to)]));
}
