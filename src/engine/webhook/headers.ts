import { z } from 'zod';
import { jsonPointer } from '../../platform/json/json-pointer.js';
import { invalid } from '../../platform/problem.js';

const MAX_HEADERS = 20;
const MAX_BYTES = 8 * 1024;
/** Past this many, headers are refused without checking each one. */
const MAX_SCANNED = 1000;

/** RFC 9110 5.6.2: a token. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\x20-\x7e]*$/;

/** Headers that the service or HTTP sets, and a webhook's owner may not. */
const RESERVED = new Set([
  'host',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'user-agent',
  'set-cookie',
  'traceparent',
]);
const RESERVED_PREFIXES = ['content-', 'proxy-', 'webhook-'];

/** Replaces values in answers that may be credentials. Sent back in an update, it keeps the stored value. */
export const MASK = '********';
/** Error for a mask that stands for no stored value. */
export const NOTHING_STORED = `"${MASK}" stands for a stored value, and none is stored; send the value itself`;

const SECRET_NAMES = new Set(['authorization', 'cookie']);
const SECRET_PARTS = /token|secret|key|password|signature/i;

/** Many receivers treat `_` and `-` in a name as the same. */
export const canonicalName = (name: string) => name.toLowerCase().replaceAll('_', '-');

const isSecret = (name: string) => SECRET_NAMES.has(canonicalName(name)) || SECRET_PARTS.test(name);

/** Replaces each value that may be a credential by {@link MASK}. */
export function maskHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isSecret(name) ? MASK : value]),
  );
}

/**
 * Replaces the masks that an update sent back by the stored values.
 *
 * @returns the headers, and the names whose mask stands for no stored value.
 */
function unmaskHeaders(
  headers: Record<string, string>,
  stored: Record<string, string>,
): { headers: Record<string, string>; unknown: string[] } {
  const byName = new Map(Object.entries(stored).map(([name, value]) => [canonicalName(name), value]));
  const unknown: string[] = [];
  const entries = Object.entries(headers).map(([name, value]): [string, string] => {
    if (value !== MASK || !isSecret(name)) return [name, value];
    const kept = byName.get(canonicalName(name));
    if (kept === undefined) unknown.push(name);
    return [name, kept ?? value];
  });
  return { headers: Object.fromEntries(entries), unknown };
}

/** The same for headers to be stored. @throws Problem 400 naming each mask that stands for no stored value. */
export function mergedHeaders(
  headers: Record<string, string>,
  stored: Record<string, string>,
): Record<string, string> {
  const merged = unmaskHeaders(headers, stored);
  if (merged.unknown.length === 0) return merged.headers;
  throw invalid(
    merged.unknown.map((name) => ({ pointer: jsonPointer(['headers', name]), message: NOTHING_STORED })),
  );
}

/** The names of the headers whose masked value keeps the stored one. */
export const keptSecrets = (headers: Record<string, string>): string[] =>
  Object.keys(headers).filter((name) => isSecret(name) && headers[name] === MASK);

const headersRecord = z
  .record(z.string(), z.string({ error: 'must be a string' }), {
    error: 'must be an object of header names and values',
  })
  .superRefine((headers, context) => {
    const entries = Object.entries(headers);
    const add = (message: string, name?: string) =>
      context.addIssue({ code: 'custom', message, path: name === undefined ? [] : [name] });
    if (entries.length > MAX_HEADERS) add(`must be at most ${MAX_HEADERS} headers`);
    if (entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0) > MAX_BYTES) {
      add('must be at most 8 KiB of names and values');
    }
    const seen = new Set<string>();
    for (const [name, value] of entries) {
      const fault = faultOf(name, value) ?? (seen.has(canonicalName(name)) ? 'is given twice' : null);
      if (fault) add(fault, name);
      seen.add(canonicalName(name));
    }
  });

/**
 * A webhook's own headers: at most 20, at most 8 KiB of names and values, no name twice (ignoring case, with `_` equal to
 * `-`), none reserved.
 */
export const headersField = z.preprocess(refuseAtOnce, headersRecord);

/** zod skips `__proto__`, so the header would be dropped silently. */
function refuseAtOnce(headers: unknown, context: z.RefinementCtx): unknown {
  if (typeof headers === 'object' && headers !== null && Object.hasOwn(headers, '__proto__')) {
    context.addIssue({ code: 'custom', message: 'may not be a header of your own', path: ['__proto__'] });
  }
  // Each bad header would add an error to the answer.
  if (typeof headers === 'object' && headers !== null && Object.keys(headers).length > MAX_SCANNED) {
    context.addIssue({ code: 'custom', message: `must be at most ${MAX_HEADERS} headers` });
  }
  return headers;
}

/** Refines the headers of a new webhook, which has no stored values for a mask to keep. */
export function noMask(headers: Record<string, string>, context: z.RefinementCtx): void {
  for (const name of unmaskHeaders(headers, {}).unknown) {
    context.addIssue({ code: 'custom', message: NOTHING_STORED, path: [name] });
  }
}

function faultOf(name: string, value: string): string | null {
  const canonical = canonicalName(name);
  if (!NAME.test(name)) return 'is not a header name (RFC 9110, 5.6.2)';
  if (RESERVED.has(canonical) || RESERVED_PREFIXES.some((prefix) => canonical.startsWith(prefix))) {
    return `"${name}" is set by the service and may not be a header of your own`;
  }
  return VALUE.test(value) ? null : 'may hold visible ASCII characters and spaces only';
}
