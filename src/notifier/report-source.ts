import { jsonPointer } from '../platform/json/json-pointer.js';
import { type JsonMember, members } from '../platform/json/json-text.js';
import { invalid } from '../platform/problem.js';

/** W3C Trace Context, 3.2. */
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** A `traceparent` header, if it is valid. */
export const traceparentOf = (header: unknown): string | null =>
  typeof header === 'string' && TRACEPARENT.test(header) ? header : null;

/**
 * The source of the record in a reported event. Parsing and writing it again would change long numbers and the order of
 * keys.
 *
 * @param text JSON that `JSON.parse` accepts, with the event as an object at `start`.
 * @returns `null`, as JSON, if there is no record.
 * @throws Problem 400 naming each field that is given more than once
 */
export function recordSourceOf(text: string, start = 0): string {
  const record = membersOnce(text, start).find(({ key }) => key === 'record');
  return record ? text.slice(record.start, record.end) : 'null';
}

/** The members of the object at `start`. @throws Problem 400 if one is given more than once */
export function membersOnce(text: string, start = 0): JsonMember[] {
  const all = members(text, start);
  const repeated = repeatedKeys(all);
  if (repeated.length === 0) return all;
  throw invalid(repeated.map((key) => ({ pointer: jsonPointer([key]), message: 'is given more than once' })));
}

/** The names that occur more than once, each named once. */
function repeatedKeys(all: JsonMember[]): string[] {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { key } of all) (seen.has(key) ? repeated : seen).add(key);
  return [...repeated];
}
