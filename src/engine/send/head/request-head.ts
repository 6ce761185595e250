/**
 * The URL and headers that all requests to a webhook share until the webhook changes. Stored once; an attempt stores
 * only the values that differ in its own request.
 */
export interface RequestHead {
  url: string;
  /** Credentials masked; null if every request has a value of its own. */
  headers: Record<string, string | null>;
}

/** The URL and headers of a request, credentials masked. */
export interface ShownRequest {
  url: string;
  headers: Record<string, string>;
}

const SEPARATOR = '|';

/** Joins a request's own values, in the order of their headers. No value may hold `|`; omitted ones come last. */
export const joinOwnValues = (values: string[]): string => values.join(SEPARATOR);

/** @param ownValues the result of {@link joinOwnValues}. */
export function shownRequest({ url, headers }: RequestHead, ownValues: string): ShownRequest {
  const own = ownValues.split(SEPARATOR);
  const filled = Object.entries(headers).map(([name, value]) => [name, value ?? own.shift()] as const);
  return {
    url,
    headers: Object.fromEntries(
      filled.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
  };
}
