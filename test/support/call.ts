export const ADMIN_KEY = `whk_${'A'.repeat(43)}`;

/** A response, with its body parsed if it is JSON. */
export interface Answer<T = Record<string, unknown>> {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  body: T extends Record<string, unknown> ? any : T;
}

export interface CallOptions {
  /** An API key; null for none. @default the admin key */
  key?: string | null;
  headers?: Record<string, string>;
  /** A raw body, sent unchanged instead of a JSON body. */
  raw?: string | Buffer<ArrayBuffer>;
}

export async function call(
  url: string,
  method: string,
  body: unknown,
  options: CallOptions = {},
): Promise<Answer> {
  const { key = ADMIN_KEY, headers = {}, raw } = options;
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await fetch(url, {
    method,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(payload === undefined ? {} : { body: payload }),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : undefined,
  };
}
