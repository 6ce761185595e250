import { z } from 'zod';
import { invalid } from '../common/problem.js';
import { jsonPointer } from '../rest/validation.js';

const MAX_HEADERS = 20;
const MAX_BYTES = 8 * 1024;
/** More are not looked at one by one. */
const LOOKED_AT = 1000;

/** RFC 9110 5.6.2: a token. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\x20-\x7e]*$/;

/** What the service or HTTP itself says, so that a webhook's owner may not. */
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

/** Stands in answers for a value that may be a credential; sent back in an update, it keeps what is stored. */
export const MASK = '********';
/** What is wrong with a mask where no value is stored. */
const NOTHING_STORED = `"${MASK}" stands for a stored value, and none is stored; send the value itself`;

const SECRET_NAMES = new Set(['authorization', 'cookie']);
const SECRET_PARTS = /token|secret|key|password|signature/i;

/** Many receivers take `_` and `-` in a name for the same. */
export const canonicalName = (name: string) => name.toLowerCase().replaceAll('_', '-');

const isSecret = (name: string) => SECRET_NAMES.has(canonicalName(name)) || SECRET_PARTS.test(name);

/** The headers with each value that may be a credential replaced by {@link MASK}. */
export function maskHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isSecret(name) ? MASK : value]),
  );
}

/**
 * Puts stored values where an update sent the mask back.
 *
 * @returns the headers, and the names whose mask stands for nothing stored.
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

/** The headers among these whose value is the one that is stored, and may be a credential. */
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

/** A webhook's own headers: at most 20, at most 8 KiB of names and values, none twice in any casing or with `_` for `-`, none reserved. */
export const headersField = z.preprocess(refuseAtOnce, headersRecord);

/** zod passes over `__proto__`: the header would be dropped without a word. */
function refuseAtOnce(headers: unknown, context: z.RefinementCtx): unknown {
  if (typeof headers === 'object' && headers !== null && Object.hasOwn(headers, '__proto__')) {
    context.addIssue({ code: 'custom', message: 'may not be a header of your own', path: ['__proto__'] });
  }
  // Each would be one more mistake to tell.
  if (typeof headers === 'object' && headers !== null && Object.keys(headers).length > LOOKED_AT) {
    context.addIssue({ code: 'custom', message: `must be at most ${MAX_HEADERS} headers` });
  }
  return headers;
}

/** Refines the headers of a creation: there is no stored value that a mask could stand for. */
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
