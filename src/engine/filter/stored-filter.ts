import { hash } from 'node:crypto';
import { columnJson } from '../../platform/json/column-json.js';
import { parseExactly, writeExactly } from '../../platform/json/exact-json.js';
import type { Filter } from './filter.js';
import { isPlain } from './filter-form.js';

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
  return { filter: text, filterHash: hashOf(filter, text) };
}

/** Names a filter by the text that its column holds. */
export const filterHashOf = (text: string): string => hash('sha256', text, 'base64url').slice(0, HASH_LENGTH);

/** Null, as for an event that has none, if it cannot be read or its hash is another one's: it lets everything through. */
export function filterOf({ id, filter: text, filterHash }: StoredFilter & { id: string }): Filter | null {
  if (text === null) return null;
  const isStored = (value: unknown) => isPlain(value) && hashOf(value, text) === filterHash;
  return columnJson(text, { column: 'webhook_event.filter', row: id }, isStored, parseExactly);
}

const hashOf = (filter: object, text: string) =>
  Object.keys(filter).length === 0 ? null : filterHashOf(text);
