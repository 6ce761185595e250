import type { DataOf, PathOf } from 'webhook-notification-service-client';
import { api } from './api.js';
import { type Answer, queryText } from './call.js';
import type { Problem } from './problem.js';
import type { QueryOf } from './query.js';
import { type ResourceOptions, useResource } from './resource.js';

interface Page<R> {
  data: R[];
  next_cursor: string | null;
}

/** The paths that answer lists. */
export type ListPath = {
  [P in PathOf<'GET'>]: DataOf<'GET', P> extends Page<infer _> ? P : never;
}[PathOf<'GET'>];

type RowOf<P extends ListPath> = DataOf<'GET', P> extends Page<infer R> ? R : never;

/** A list that is read page by page, newest first. */
export interface List<R> {
  /** Undefined until the first page is there. */
  readonly rows: readonly R[] | undefined;
  readonly problem: Problem | undefined;
  readonly busy: boolean;
  readonly hasMore: boolean;
  more(): void;
  refresh(): void;
  /** Changes the rows that are shown, such as by what a stream brings. */
  change(change: (rows: readonly R[]) => readonly R[]): void;
}

interface Shown<R> {
  rows: readonly R[];
  cursor: string | null;
}

/** Rows that a screen holds at most: past them a search helps more than scrolling. */
const MAX_ROWS = 2_000;
const PAGE = 100;

export interface ListOptions extends ResourceOptions {
  /** Rows of each page. @default 50 */
  pageSize?: number;
  /** Reads on by itself until there are so many rows. */
  upTo?: number;
}

/** Follows a list. `null` as query loads nothing. */
export function useList<P extends ListPath>(
  path: P,
  query: Omit<QueryOf<P>, 'limit' | 'cursor'> | null,
  options: ListOptions = {},
): List<RowOf<P>> {
  type R = RowOf<P>;
  const { pageSize = 50, upTo = 0 } = options;
  const key = query === null ? null : `${path}${queryText(query)}#${pageSize},${upTo}`;

  const page = (limit: number, cursor: string | null, signal: AbortSignal) =>
    api.GET(path, { query: { ...query, limit: String(limit), cursor: cursor ?? undefined }, signal } as never) as Promise<
      Answer<Page<R>>
    >;
  /** Loads as many rows as are shown, so that reading on below does not jump to the top. */
  const load = async (signal: AbortSignal, before: Shown<R> | undefined): Promise<Answer<Shown<R>>> => {
    const wanted = Math.max(pageSize, upTo, before?.rows.length ?? 0);
    const rows: R[] = [];
    let cursor: string | null = null;
    do {
      const answer = await page(Math.min(PAGE, Math.max(pageSize, wanted - rows.length)), cursor, signal);
      if (answer.problem) return answer;
      rows.push(...answer.data.data);
      cursor = answer.data.next_cursor;
    } while (cursor !== null && rows.length < wanted);
    return { data: { rows, cursor }, etag: null };
  };
  const loadMore = async (signal: AbortSignal, before: Shown<R> | undefined): Promise<Answer<Shown<R>>> => {
    if (before === undefined) return load(signal, before);
    const answer = await page(pageSize, before.cursor, signal);
    if (answer.problem) return answer;
    // The rows may have changed meanwhile, and a stream may have brought some of these.
    return { data: { rows: [...before.rows, ...answer.data.data], cursor: answer.data.next_cursor }, etag: null };
  };

  const resource = useResource<Shown<R>>(key, load, options);
  return {
    get rows() {
      return resource.data?.rows;
    },
    get problem() {
      return resource.problem;
    },
    get busy() {
      return resource.busy;
    },
    get hasMore() {
      const { data } = resource;
      return data !== undefined && data.cursor !== null && data.rows.length < MAX_ROWS;
    },
    more: () => resource.run(loadMore),
    refresh: resource.refresh,
    change: (change) => resource.change(({ rows, cursor }) => ({ rows: change(rows), cursor })),
  };
}
