import type { Page } from './cursor.js';

/** The answer of every list. */
export interface ListBody<T> {
  data: T[];
  next_cursor: string | null;
}

/** @param url path and query of the call. */
export function nextLink(url: string, nextCursor: string): string {
  const [path = '', query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.set('cursor', nextCursor);
  return `<${path}?${parameters}>; rel="next"`;
}

export function listBody<T, R>(page: Page<T>, toResource: (row: T) => R): ListBody<R> {
  return { data: page.data.map(toResource), next_cursor: page.nextCursor };
}
