import type { DataOf, PathOf, RequestOf } from 'webhook-notification-service-client';
import { api } from './api.js';
import { queryText } from './call.js';
import { inBackground } from './gate.js';
import { type Resource, type ResourceOptions, useResource } from './resource.js';

export type QueryOf<P extends PathOf<'GET'>> = RequestOf<'GET', P> extends { query?: infer Q } ? NonNullable<Q> : never;

export interface QueryOptions extends ResourceOptions {
  /** Lets other calls go first: for the small print of a long list. */
  background?: boolean;
}

/**
 * Follows what a GET answers. `null` as query loads nothing, as long as something is missing:
 * `useQuery('/v1/webhook', id ? { id } : null)`.
 */
export function useQuery<P extends PathOf<'GET'>>(
  path: P,
  query: QueryOf<P> | null,
  { background = false, ...options }: QueryOptions = {},
): Resource<DataOf<'GET', P>> {
  const key = query === null ? null : path + queryText(query);
  return useResource<DataOf<'GET', P>>(
    key,
    (signal) => {
      const get = () => api.GET(path, { query, signal } as never);
      return background ? inBackground(get, signal) : get();
    },
    options,
  );
}
