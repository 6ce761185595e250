import { compileFilter } from '../engine/filter/compile-filter.js';
import type { Filter } from '../engine/filter/filter.js';
import { RecordJudge } from '../engine/filter/judge.js';

/** What a filter says of a record. */
export interface FilterTest {
  matches: boolean;
  /** The part of the filter that does not match; null if all do. */
  reason: string | null;
}

/** @param part a JSON Pointer (RFC 6901) into the filter. */
export const reasonOf = (part: string): string => `${part} does not match`;

/**
 * @param filter one that compiles.
 * @param record of `parseMarked`, as it is reported.
 */
export function testOf(filter: Filter | null, record: object): FilterTest {
  const compilation = compileFilter(filter ?? {});
  if (!compilation.ok) throw new Error('The filter was not validated.');
  const { analyses, ...others } = record as Record<string, unknown>;
  const data = analyses === undefined ? record : { analysis: analyses, ...others };
  const part = new RecordJudge(data).unmatched(compilation.filter);
  return { matches: part === null, reason: part === null ? null : reasonOf(part) };
}
