import { lost } from './connection.js';
import { backoffMs, pause } from './pause.js';
import { place } from './place.js';
import { CANCELLED, type Problem, problemOf, UNREACHABLE } from './problem.js';
import { signedOut } from './who.js';

/** Either data or a problem, never both. */
export type Answer<D> =
  | {
      readonly data: D;
      readonly etag: string | null;
      /** As it came: `data` keeps neither all digits of a number nor the order of all fields. */
      readonly text?: string;
      readonly problem?: undefined;
    }
  | { readonly data?: undefined; readonly problem: Problem };

export interface CallRequest {
  query?: Record<string, unknown> | undefined;
  headers?: Record<string, string | undefined> | undefined;
  body?: unknown;
  signal?: AbortSignal | undefined;
}

const TRIES = 4;
/** Who has pressed a button does not wait longer than this; who reads may. */
const LONGEST_WAIT_MS = { read: 30_000, write: 3_000 };

/** Calls the API; `path` starts behind the version, as in `/webhook/list`. Never throws for what a service may answer. */
export async function call(method: string, path: string, request: CallRequest = {}): Promise<Answer<unknown>> {
  const url = urlOf(path, request.query);
  for (let tries = 1; ; tries += 1) {
    const answer = await callOnce(method, url, request);
    if (answer.problem === undefined || tries >= TRIES) return noted(answer, method, url);
    const waitMs = answer.problem.retryAfterMs ?? backoffMs(tries - 1);
    const longest = LONGEST_WAIT_MS[method === 'GET' ? 'read' : 'write'];
    if (!mayRepeat(answer.problem, method, request) || waitMs > longest) return noted(answer, method, url);
    await pause(waitMs, request.signal);
    if (request.signal?.aborted) return { problem: CANCELLED };
  }
}

/** The whole address of a call. */
export const urlOf = (path: string, query?: Record<string, unknown>): string =>
  `${place.api}${path}${queryText(query)}`;

/** With its question mark, and without what is undefined or empty. The same values give the same text. */
export function queryText(query: Record<string, unknown> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
}

/** A call that was refused before anything happened, or that the service knows again, may be made once more. */
function mayRepeat({ status }: Problem, method: string, { headers }: CallRequest): boolean {
  if (status === 429) return true;
  return status === 503 && (method === 'GET' || headers?.['Idempotency-Key'] !== undefined);
}

async function callOnce(
  method: string,
  url: string,
  { headers, body, signal }: CallRequest,
): Promise<Answer<unknown>> {
  const given = Object.entries(headers ?? {}).filter(([, value]) => value !== undefined);
  try {
    const response = await fetch(url, {
      method,
      headers: {
        ...(Object.fromEntries(given) as Record<string, string>),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
      // The page keeps what it wants to keep, and the service never redirects.
      cache: 'no-store',
      redirect: 'error',
    });
    const text = await response.text();
    const answered = parsed(text);
    if (!response.ok) return { problem: problemOf(response, answered) };
    if (answered === undefined && text !== '') return { problem: problemOf(response, undefined) };
    return { data: answered, etag: response.headers.get('ETag'), text };
  } catch {
    return { problem: signal?.aborted ? CANCELLED : UNREACHABLE };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Tells the page what concerns all of it: that nobody is signed in, or that the service is away. */
function noted(answer: Answer<unknown>, method: string, url: string): Answer<unknown> {
  const { problem } = answer;
  if (problem?.status === 401) signedOut.value = true;
  if (problem === UNREACHABLE || [502, 503, 504].includes(problem?.status ?? 0)) {
    lost(problem as Problem, method === 'GET' ? url : urlOf('/me'));
  }
  return answer;
}
