import type { DataOf, Method, PathOf, RequestOf } from 'webhook-notification-service-client';
import { type Answer, call } from './call.js';

/** The request may be left out if none of its parts is required. */
type Given<R> = Partial<R> extends R ? [request?: R & { signal?: AbortSignal }] : [request: R & { signal?: AbortSignal }];

type TypedCall<M extends Method> = <P extends PathOf<M>>(
  path: P,
  ...request: Given<RequestOf<M, P>>
) => Promise<Answer<DataOf<M, P>>>;

const VERSION = '/v1';

const typed =
  <M extends Method>(method: M): TypedCall<M> =>
  (path, ...[request]) =>
    call(method, path.slice(VERSION.length), request) as Promise<Answer<never>>;

/** The API, typed by its OpenAPI document: `api.GET('/v1/webhook', { query: { id } })`. */
export const api = {
  GET: typed('GET'),
  POST: typed('POST'),
  PATCH: typed('PATCH'),
  DELETE: typed('DELETE'),
};
