import { hash } from 'node:crypto';
import { parseExactly, writeExactly } from '../../common/json/exact-json.js';
import type { Filter } from './filter.js';

const HASH_LENGTH = 22;

/** A filter as its event's row keeps it. */
export interface StoredFilter {
  /** JSON; null if the event has none. */
  filter: string | null;
  /** Names its content, so that a compiled filter can be kept; null if it matches everything. */
  filterHash: string | null;
}

/** @param filter one that compiles. */
export function storedFilter(filter: Filter | null): StoredFilter {
  if (filter === null) return { filter: null, filterHash: null };
  const text = writeExactly(filter);
  const matchesAll = Object.keys(filter).length === 0;
  return {
    filter: text,
    filterHash: matchesAll ? null : hash('sha256', text, 'base64url').slice(0, HASH_LENGTH),
  };
}

export const filterOf = ({ filter }: Pick<StoredFilter, 'filter'>): Filter | null =>
  filter === null ? null : (parseExactly(filter) as Filter);
