import type { paths, WebhookProblemDto } from './schema.js';

export type * from './schema.js';

/** The address of the service, and who is calling. */
export interface WebhookClientOptions {
  /** Such as `https://webhooks.example.com`; a path in front of `/v1` is kept. */
  baseUrl: string;
  /** `whk_…`. A page that has a session, or the cookie of an application around the service, leaves it out. */
  apiKey?: string;
  /** Sends the requests. @default the global fetch */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** Options of every call. */
export interface CallOptions {
  signal?: AbortSignal;
}

/** The HTTP methods of the API. */
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** An operation that answers with Server-Sent Events, which go on: `EventSource`, or `fetch`, reads them. */
interface Streaming {
  responses: { 200: { content: { 'text/event-stream': string } } };
}

/** The paths with this method, but for streams. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<Lowercase<M>, infer O>
    ? O extends Streaming | undefined
      ? never
      : P
    : never;
}[keyof paths];

type OperationOf<M extends Method, P extends PathOf<M>> =
  paths[P] extends Record<Lowercase<M>, infer O> ? O : never;

/** The parameters of an operation. Those that it does not have are `never`, and left out. */
type ParametersOf<O> = O extends { parameters: infer G }
  ? { [K in keyof G as [G[K]] extends [undefined] ? never : K extends 'header' ? 'headers' : K]: G[K] }
  : never;

type BodyOf<O> = O extends { requestBody: { content: { 'application/json': infer B } } }
  ? { body: B }
  : unknown;

/** The query, headers and body that an operation takes. */
export type RequestOf<M extends Method, P extends PathOf<M>> = ParametersOf<OperationOf<M, P>> &
  BodyOf<OperationOf<M, P>>;

/** The body of an operation's successful answer. */
export type DataOf<M extends Method, P extends PathOf<M>> =
  OperationOf<M, P> extends { responses: infer R }
    ? R[keyof R] extends { content: { 'application/json': infer D } }
      ? D
      : never
    : never;

/** Either data or a problem, never both. */
export type Result<D> =
  | { data: D; error?: undefined; response: Response }
  | { data?: undefined; error: WebhookProblemDto; response: Response };

/** The request may be left out if none of its parts is required. */
type Given<R> = Partial<R> extends R ? [request?: R & CallOptions] : [request: R & CallOptions];

/** A call by one method, typed by its path. */
export type Call<M extends Method> = <P extends PathOf<M>>(
  path: P,
  ...request: Given<RequestOf<M, P>>
) => Promise<Result<DataOf<M, P>>>;

/** One function for each method; it takes a path and the operation's request. */
export type WebhookClient = { readonly [M in Method]: Call<M> };

/** A request of any operation. */
interface AnyRequest extends CallOptions {
  query?: Record<string, unknown>;
  headers?: Record<string, unknown>;
  body?: unknown;
}

/**
 * Makes a client of the REST API. A call that the service refuses resolves with an `error`. A call that does not reach
 * it rejects, as `fetch` does.
 */
export function createWebhookClient(options: WebhookClientOptions): WebhookClient {
  const call = (method: Method) => (path: string, request?: AnyRequest) =>
    send(options, method, path, request);
  const client = { GET: call('GET'), POST: call('POST'), PATCH: call('PATCH'), DELETE: call('DELETE') };
  return client as WebhookClient;
}

async function send(
  options: WebhookClientOptions,
  method: Method,
  path: string,
  request: AnyRequest = {},
): Promise<Result<unknown>> {
  // The global fetch is looked up at each call, as it may be replaced later. It is called as a plain function, because
  // browsers refuse it as a method of another object.
  const { baseUrl, apiKey, fetch = globalThis.fetch } = options;
  const { query, headers, body, signal } = request;
  const url = `${baseUrl.replace(/\/+$/, '')}${path}${queryText(query)}`;
  const response = await fetch(url, {
    method,
    headers: {
      ...given(headers),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
    // The service never redirects. Following a redirect could send the key elsewhere, or turn a POST into a GET.
    redirect: 'manual',
  });
  return resultOf(response, path);
}

/** Leaves out undefined values, which would be sent as the word "undefined". */
function given(values: Record<string, unknown> = {}): Record<string, string> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

function queryText(query: Record<string, unknown> | undefined): string {
  const text = new URLSearchParams(given(query)).toString();
  return text && `?${text}`;
}

async function resultOf(response: Response, path: string): Promise<Result<unknown>> {
  const body = parsed(await response.text());
  if (response.ok && body !== undefined) return { data: body, response };
  return { error: isProblem(body) ? body : problemFor(response, path), response };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isProblem(body: unknown): body is WebhookProblemDto {
  const { code, detail } = (body ?? {}) as Partial<Record<keyof WebhookProblemDto, unknown>>;
  return typeof code === 'string' && typeof detail === 'string';
}

/** A problem for an answer without one: a 304, which has no body, or the answer of a proxy in between. */
function problemFor(response: Response, instance: string): WebhookProblemDto {
  const { status } = response;
  const about = { type: 'about:blank', status, instance };
  if (status === 304) {
    const detail = 'Nothing has changed since the answer whose ETag is in If-None-Match.';
    return { ...about, title: 'Not Modified', detail, code: 'not_modified' };
  }
  const detail = 'The answer is not one of the service; something in between may have given it.';
  return { ...about, title: response.statusText || 'Unexpected Answer', detail, code: 'unexpected_answer' };
}
