import type { paths, WebhookProblemDto } from './schema.js';

export type * from './schema.js';

/** Where the service is, and who calls. */
export interface WebhookClientOptions {
  /** Where the service is, such as `https://webhooks.example.com`; a path in front of `/v1` is kept. */
  baseUrl: string;
  /** `whk_…` */
  apiKey: string;
  /** Sends the requests. @default the global fetch */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** What every call takes, whatever its operation. */
export interface CallOptions {
  signal?: AbortSignal;
}

/** The methods that the API has. */
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** The paths that have a method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<Lowercase<M>, object> ? P : never;
}[keyof paths];

type OperationOf<M extends Method, P extends PathOf<M>> =
  paths[P] extends Record<Lowercase<M>, infer O> ? O : never;

/** The parameters of an operation, without those that it does not have (`never`). */
type ParametersOf<O> = O extends { parameters: infer G }
  ? { [K in keyof G as [G[K]] extends [undefined] ? never : K extends 'header' ? 'headers' : K]: G[K] }
  : never;

type BodyOf<O> = O extends { requestBody: { content: { 'application/json': infer B } } }
  ? { body: B }
  : unknown;

/** The query, headers and body that an operation takes. */
export type RequestOf<M extends Method, P extends PathOf<M>> = ParametersOf<OperationOf<M, P>> &
  BodyOf<OperationOf<M, P>>;

/** What an operation answers. */
export type DataOf<M extends Method, P extends PathOf<M>> =
  OperationOf<M, P> extends { responses: infer R }
    ? R[keyof R] extends { content: { 'application/json': infer D } }
      ? D
      : never
    : never;

/** Data, or a problem in its place: never both, never neither. */
export type Result<D> =
  | { data: D; error?: undefined; response: Response }
  | { data?: undefined; error: WebhookProblemDto; response: Response };

/** Only what has something required must be given. */
type Given<R> = Partial<R> extends R ? [request?: R & CallOptions] : [request: R & CallOptions];

/** A call with one method, typed by its path. */
export type Call<M extends Method> = <P extends PathOf<M>>(
  path: P,
  ...request: Given<RequestOf<M, P>>
) => Promise<Result<DataOf<M, P>>>;

/** A function for each method; each takes a path and what its operation takes. */
export type WebhookClient = { readonly [M in Method]: Call<M> };

/** A request of any operation. */
interface AnyRequest extends CallOptions {
  query?: Record<string, unknown>;
  headers?: Record<string, unknown>;
  body?: unknown;
}

/**
 * A client of the REST API. What the service refuses resolves to an `error`; what does not reach it rejects, as
 * `fetch` does.
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
  // Looked up at each call, so that what replaces the global one later is used; called as a plain function, because
  // browsers refuse it as a method of anything else.
  const { baseUrl, apiKey, fetch = globalThis.fetch } = options;
  const { query, headers, body, signal } = request;
  const url = `${baseUrl.replace(/\/+$/, '')}${path}${queryText(query)}`;
  const response = await fetch(url, {
    method,
    headers: {
      ...given(headers),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      Authorization: `Bearer ${apiKey}`,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
    // The service has none. Followed, one would take the key elsewhere, or make a GET of a POST.
    redirect: 'manual',
  });
  return resultOf(response, path);
}

/** What is undefined is left out, rather than sent as that word. */
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

/** A problem for an answer that brings none: of something between here and the service, or 304, which has no body. */
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
