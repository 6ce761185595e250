/** A slice of JSON source text: `start` inclusive, `end` exclusive, in UTF-16 units, without outer white space. */
export interface JsonSpan {
  start: number;
  end: number;
}

/** A member of an object: its decoded name, the span of its value, and the span of the name with its quotes. */
export interface JsonMember extends JsonSpan {
  key: string;
  keyStart: number;
  keyEnd: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

/**
 * The deepest nesting of `{}` and `[]` in `text`; a scalar has depth 0. Never throws and never recurses, so it can
 * judge hostile text before `JSON.parse` does. On invalid JSON it is exact up to the first error.
 *
 * @param limit the scan stops as soon as the depth exceeds it, and returns `limit + 1`.
 */
export function jsonDepth(text: string, limit = Number.POSITIVE_INFINITY): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(text, at) - 1;
    else if (opens(code)) {
      if (++depth > deepest) deepest = depth;
      if (deepest > limit) return deepest;
    } else if (closes(code)) depth--;
  }
  return deepest;
}

/**
 * The members of the object at `start` (or after white space there), in source order, repeated names included.
 * Precondition: `JSON.parse` accepts `text`, and an object is there.
 */
export function members(text: string, start = 0): JsonMember[] {
  const found: JsonMember[] = [];
  let at = skipSpace(text, skipSpace(text, start) + 1);
  while (text.charCodeAt(at) === QUOTE) {
    const keyEnd = stringEnd(text, at);
    const valueStart = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = valueEnd(text, valueStart);
    found.push({ key: decodeString(text, at, keyEnd), start: valueStart, end, keyStart: at, keyEnd });
    at = afterComma(text, end);
  }
  return found;
}

/**
 * The elements of the array at `start` (or after white space there), in order.
 * Precondition: `JSON.parse` accepts `text`, and an array is there.
 */
export function elements(text: string, start = 0): JsonSpan[] {
  const found: JsonSpan[] = [];
  let at = skipSpace(text, skipSpace(text, start) + 1);
  while (at < text.length && !closes(text.charCodeAt(at))) {
    const end = valueEnd(text, at);
    found.push({ start: at, end });
    at = afterComma(text, end);
  }
  return found;
}

/** The string whose source, quotes included, is `text.slice(start, end)`. */
export function decodeString(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end - 1);
  return inner.includes('\\') ? (JSON.parse(text.slice(start, end)) as string) : inner;
}

/** The index of the first character at or after `at` that is not white space. */
export function skipSpace(text: string, at: number): number {
  let next = at;
  while (text.charCodeAt(next) <= SPACE) next++;
  return next;
}

function afterComma(text: string, at: number): number {
  const next = skipSpace(text, at);
  return text.charCodeAt(next) === COMMA ? skipSpace(text, next + 1) : next;
}

function valueEnd(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return stringEnd(text, start);
  if (opens(first)) return nestedEnd(text, start);
  let at = start;
  while (at < text.length && !endsScalar(text.charCodeAt(at))) at++;
  return at;
}

function nestedEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(text, at) - 1;
    else if (opens(code)) depth++;
    else if (closes(code) && --depth === 0) return at + 1;
  }
  return text.length;
}

/** The index after the closing quote of the string that opens at `start`; the end of the text if it never closes. */
function stringEnd(text: string, start: number): number {
  let close = text.indexOf('"', start + 1);
  while (close >= 0 && isEscaped(text, close)) close = text.indexOf('"', close + 1);
  return close < 0 ? text.length : close + 1;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === BACKSLASH) first--;
  return (at - first) % 2 === 1;
}

function endsScalar(code: number): boolean {
  return code === COMMA || code <= SPACE || closes(code);
}

// Bit 5 is all that tells `[` from `{` and `]` from `}`.
function opens(code: number): boolean {
  return (code | 0x20) === 0x7b;
}

function closes(code: number): boolean {
  return (code | 0x20) === 0x7d;
}

// TypeScript's library does not know JSON.rawJSON and the reviver's third argument (ECMA-262, 2026) yet.
const sourceAwareJson = JSON as unknown as {
  rawJSON(text: string): unknown;
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
};

/**
 * `JSON.parse`, but a number that a double cannot hold (`12345678901234567890`, `1e999`, `-0`) comes back as
 * `JSON.rawJSON(source)`, which `JSON.stringify` writes as it was read. Spelling alone (`1.0`, `1E2`) is not kept.
 * Recurses where there is such a number: check {@link jsonDepth} first.
 *
 * @throws SyntaxError as `JSON.parse` does.
 */
export function parseExact(text: string): unknown {
  // A reviver makes parsing several times slower.
  if (!hasFragileNumber(text)) return JSON.parse(text);
  return sourceAwareJson.parse(text, (_key, value, { source }) => {
    if (typeof value !== 'number' || source === undefined || survives(source, value)) return value;
    return sourceAwareJson.rawJSON(source);
  });
}

function hasFragileNumber(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(text, at) - 1;
    else if (code === MINUS || isDigit(code)) {
      const end = valueEnd(text, at);
      if (!isShortDecimal(text, at, end)) {
        const source = text.slice(at, end);
        if (!survives(source, Number(source))) return true;
      }
      at = end - 1;
    }
  }
  return false;
}

/** No sign, no exponent and at most 15 digits: a double always holds it. */
function isShortDecimal(text: string, start: number, end: number): boolean {
  if (end - start > 15) return false;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (!isDigit(code) && code !== POINT) return false;
  }
  return true;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Whether `JSON.stringify(value)` names the same decimal number as `source`, which was read as `value`. */
function survives(source: string, value: number): boolean {
  if (!Number.isFinite(value) || Object.is(value, -0)) return false;
  const written = String(value);
  return written === source || normalized(written) === normalized(source);
}

/** One spelling per value: sign, digits without zeros at either end, and the exponent of the last digit. */
function normalized(number: string): string {
  const exponentAt = number.search(/[eE]/);
  const mantissa = exponentAt < 0 ? number : number.slice(0, exponentAt);
  const point = mantissa.indexOf('.');
  const digits = mantissa.replace('-', '').replace('.', '');
  let first = 0;
  while (digits[first] === '0') first++;
  // A loop, because /0+$/ takes quadratic time on long runs of zeros.
  let last = digits.length;
  while (last > first && digits[last - 1] === '0') last--;
  if (first === last) return '0';
  const fraction = point < 0 ? 0 : mantissa.length - point - 1;
  const exponent = exponentAt < 0 ? 0 : Number(number.slice(exponentAt + 1));
  const sign = number.startsWith('-') ? '-' : '';
  return `${sign}${digits.slice(first, last)}e${exponent - fraction + digits.length - last}`;
}
