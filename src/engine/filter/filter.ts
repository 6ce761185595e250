/**
 * Which notifications of an event its webhook gets: conditions on `data`, in the manner of MongoDB's queries. Fields are named
 * by dotted paths, which lead into the elements of arrays as well.
 *
 * @example { "status": "INVALID", "analysis.score": { "$gte": 0.8 } }
 */
export interface Filter {
  [pathOrOperator: string]: FilterValue;
}

/** What stands at a path or operator. Whole numbers beyond 2^53 are compared exactly, too: give them as bigint. */
export type FilterValue = null | boolean | number | bigint | string | FilterValue[] | Filter;

/** Objects and arrays inside each other, the filter itself included. */
export const MAX_DEPTH = 8;
/** Operators, and fields that are compared without one. */
export const MAX_CONDITIONS = 64;
/** The size of a filter as JSON in UTF-8. */
export const MAX_FILTER_BYTES = 16_384;
/** The size of all the filters of a webhook together: as much as a body of the REST API may hold. */
export const MAX_FILTERS_BYTES = 262_144;
export const TOO_MANY_FILTERS = `must leave the filters of the webhook at most ${MAX_FILTERS_BYTES} bytes as JSON, together`;
export const MAX_PATH_LENGTH = 256;

/** Compare what stands at a path. */
export const COMPARISONS = [
  '$eq',
  '$ne',
  '$in',
  '$nin',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
  '$exists',
  '$startsWith',
  '$endsWith',
  '$elemMatch',
] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** Stand in place of a path. `$not` may also stand among the comparisons of a path. */
export const COMBINATIONS = ['$and', '$or', '$not'] as const;

/** What a filter says of one record: null if it matches, otherwise the JSON Pointer (RFC 6901) of the part that does not. */
export type Unmatched = string | null;
