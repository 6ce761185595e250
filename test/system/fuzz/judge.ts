import { join } from 'node:path';
import { type ParsedAnswer, parseAnswer } from './answer.js';
import type { FuzzOperation } from './document.js';
import type { WireOutcome } from './wire.js';

const ROOT = join(import.meta.dirname, '../../..');
/** A JSON pointer (RFC 6901), the name of a query parameter, or the name of a header. */
const POINTER = /^((\/([^~/]|~[01])*)*|\?.*|[A-Z][A-Za-z-]*)$/su;
const FIELDS = ['type', 'title', 'status', 'detail', 'instance', 'code', 'errors'];
/** Internals: stack traces, SQL, names of libraries. No request and no random key contains any of them. */
const INSIDE =
  /\bat [\w.<>]+ \(|\.[jt]s:\d+|node_modules|node:internal|SQLITE_[A-Z]|\bER_[A-Z]+_|FST_ERR|QueryFailed|[Tt]ype[Oo][Rr][Mm]|\bUPDATE \w+ SET\b|\bINSERT INTO\b|\bSELECT\b.*\bFROM\b/;

/** The fault in the outcome of a request; null if there is none. @param hasNoBody true for HEAD. */
export function faultOf({ answer }: Pick<WireOutcome, 'answer'>, hasNoBody = false): string | null {
  if (typeof answer === 'string') return 'had no answer';
  const { status, headers, body } = answer;
  if (status >= 500) return `was answered ${status}`;
  if (status >= 300 && status < 400 && status !== 304) return `was answered ${status}, a redirect`;
  if (INSIDE.test(body) || body.includes(ROOT)) return 'was told of the inside';
  if (headers.has('x-injected')) return 'put a header into its answer';
  if (status < 400) return null;
  if (!/^application\/problem\+json\b/.test(headers.get('content-type') ?? '')) {
    return `was answered ${status} as ${headers.get('content-type')}`;
  }
  return hasNoBody ? null : problemFault(answer);
}

function problemFault({ status, body }: ParsedAnswer): string | null {
  const problem = parse(body);
  if (!problem) return 'was refused with no JSON object';
  const wrong = [
    ...Object.keys(problem).filter((key) => !FIELDS.includes(key)),
    ...['type', 'title', 'detail'].filter((key) => !isText(problem[key])),
    ...(problem.status === status ? [] : ['status']),
    ...(/^\/|^\*$|^http/.test(String(problem.instance)) ? [] : ['instance']),
    ...(/^[a-z][a-z0-9_]*$/.test(String(problem.code)) ? [] : ['code']),
    ...(errorsAreFine(problem) ? [] : ['errors']),
  ];
  return wrong.length > 0 ? `was refused with a wrong ${wrong.join(', ')}` : null;
}

/** The same for everything received on a connection. @param isContradictory true if only a refusal is right. */
export function faultOfExchange(received: string, isContradictory: boolean): string | null {
  const answers: ParsedAnswer[] = [];
  for (let rest = Buffer.from(received, 'latin1'); rest.length > 0; ) {
    const answer = parseAnswer(rest, false);
    if (!answer) return 'was answered in part';
    answers.push(answer);
    rest = rest.subarray(answer.length);
  }
  const statuses = answers.map(({ status }) => status);
  if (isContradictory && !/^4\d\d$/.test(statuses.join()))
    return `was answered ${statuses.join() || 'nothing'}`;
  const faults = answers.map((answer) => faultOf({ answer }));
  return faults.find((fault) => fault !== null) ?? null;
}

/** Whether the operation documents this status. */
export const isDocumented = ({ statuses }: FuzzOperation, status: number) => statuses.includes(status);

function errorsAreFine({ code, errors }: Record<string, unknown>): boolean {
  if (errors === undefined) return code !== 'validation_failed';
  return (
    Array.isArray(errors) &&
    errors.length > 0 &&
    errors.every(({ pointer, message, ...more }) => {
      return POINTER.test(pointer) && isText(message) && Object.keys(more).length === 0;
    })
  );
}

const isText = (value: unknown) => typeof value === 'string' && /\w/.test(value);

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
