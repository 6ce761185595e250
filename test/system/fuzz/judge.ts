import { join } from 'node:path';
import { z } from 'zod';
import { answersIn, type ParsedAnswer } from './answers.js';

const ROOT = join(import.meta.dirname, '../../..');
/** Internals: stack traces, SQL, names of libraries. No request and no random key contains any of them. */
const INSIDE =
  /\bat [\w.<>]+ \(|\.[jt]s:\d+|node_modules|node:internal|SQLITE_[A-Z]|\bER_[A-Z]+_|FST_ERR|QueryFailed|[Tt]ype[Oo][Rr][Mm]|\bUPDATE \w+ SET\b|\bINSERT INTO\b|\bSELECT\b.*\bFROM\b/;

const text = z.string().regex(/\w/);
/** A JSON pointer (RFC 6901), the name of a query parameter, or the name of a header. */
const pointer = z.string().regex(/^((\/([^~/]|~[01])*)*|\?.*|[A-Z][A-Za-z-]*)$/su);
/** Problem details (RFC 9457). */
const problem = z.strictObject({
  type: text,
  title: text,
  status: z.number(),
  detail: text,
  instance: z.string().regex(/^\/|^\*$|^http/),
  code: z.string().regex(/^[a-z][a-z0-9_]*$/),
  errors: z
    .array(z.strictObject({ pointer, message: text }))
    .min(1)
    .optional(),
});

/** The fault in an answer; null if there is none. */
export function faultOf({ status, headers, body }: ParsedAnswer, hasNoBody = false): string | null {
  if (status === 0) return 'was answered in no HTTP';
  if (status >= 500) return `was answered ${status}`;
  if (status >= 300 && status < 400 && status !== 304) return `was answered ${status}, a redirect`;
  if (INSIDE.test(body) || body.includes(ROOT)) return 'was told of the inside';
  if (headers.has('x-injected')) return 'put a header into its answer';
  if (status < 400) return null;
  const type = headers.get('content-type');
  if (!/^application\/problem\+json\b/.test(type ?? '')) return `was answered ${status} as ${type}`;
  return hasNoBody ? null : problemFault(status, body);
}

function problemFault(status: number, body: string): string | null {
  const { data, error } = z.preprocess(parsed, problem).safeParse(body);
  if (error) return `was refused with a wrong problem: ${z.prettifyError(error)}`;
  if (data.status !== status) return 'was refused with a problem of another status';
  const isUnexplained = data.code === 'validation_failed' && !data.errors;
  return isUnexplained ? 'was refused without the errors' : null;
}

/** The same for everything received on a connection. @param isContradictory true if only a refusal is right. */
export function faultOfAll(received: string, isContradictory: boolean): string | null {
  const { answers, rest } = answersIn(received);
  if (rest !== '') return 'was answered in part';
  const statuses = answers.map(({ status }) => status).join();
  if (isContradictory && !/^4\d\d$/.test(statuses)) return `was answered ${statuses || 'nothing'}`;
  return answers.map((answer) => faultOf(answer)).find((fault) => fault !== null) ?? null;
}

function parsed(json: unknown): unknown {
  try {
    return JSON.parse(String(json));
  } catch {
    return undefined;
  }
}
