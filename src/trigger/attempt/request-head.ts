/**
 * What all requests to a webhook say before their body, for as long as the webhook stays as it is. Stored once; an
 * attempt keeps only what its own request says differently.
 */
export interface RequestHead {
  url: string;
  /** Credentials masked; null where every request has a value of its own. */
  headers: Record<string, string | null>;
}

/** What a request said before its body, credentials masked. */
export interface ShownRequest {
  url: string;
  headers: Record<string, string>;
}

const SEPARATOR = '|';

/** A request's own values, in the order of their headers, without `|` in them; those it leaves out come last. */
export const joinOwnValues = (values: string[]): string => values.join(SEPARATOR);

/** @param ownValues what {@link joinOwnValues} made of them. */
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
