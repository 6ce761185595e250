import { HttpException, HttpStatus } from '@nestjs/common';
import { writeJson } from './json/write-json.js';
import { printable } from './printable.js';

/** One bad field: a JSON Pointer (RFC 6901) into the body, or the name of a query parameter behind `?`. */
export interface FieldError {
  pointer: string;
  message: string;
}

/** What RFC 9110 calls these statuses. Nest, which names the others, has older names for them, or none. */
const TITLES: Record<number, string> = {
  413: 'Content Too Large',
  414: 'URI Too Long',
  422: 'Unprocessable Content',
  431: 'Request Header Fields Too Large',
};

interface ProblemOptions {
  errors?: FieldError[];
  /** Response headers that go with the answer, e.g. `Retry-After`. */
  headers?: Record<string, string>;
  /** What it comes from, which only the message names. */
  cause?: unknown;
}

/** The public part of `HttpException`: its private `status` would forbid a public one. */
interface HttpError extends Error {
  getStatus(): number;
  getResponse(): string | object;
}
const HttpError = HttpException as new (message: string, status: number) => HttpError;

/**
 * An expected failure that is told to the caller as RFC 9457 problem details.
 *
 * `WebhookProblemFilter` answers it whole. A host's filters, and Nest's own, treat it as any `HttpException`: they answer
 * its status, and Nest's own filter the problem details as plain JSON, without the headers.
 *
 * `code` is a stable snake_case identifier for programs; `detail` tells people how to fix the problem. `message` is the
 * detail with the first 10 of the bad fields, or with the cause, for a log, on one line.
 */
export class Problem extends HttpError {
  readonly errors: FieldError[] | undefined;
  readonly headers: Record<string, string>;

  constructor(
    readonly status: number,
    readonly code: string,
    readonly detail: string,
    options: ProblemOptions = {},
  ) {
    super(messageOf(detail, options), status);
    if (options.cause !== undefined) this.cause = options.cause;
    this.errors = options.errors;
    this.headers = options.headers ?? {};
  }

  /** @param instance the path that was asked for, without its query. */
  toBody(instance: string): Record<string, unknown> {
    return this.bodyWith({ instance });
  }

  /** The body that Nest's own filter answers: it does not know the path. */
  override getResponse(): object {
    return this.bodyWith({});
  }

  private bodyWith(place: { instance?: string }): Record<string, unknown> {
    return {
      type: 'about:blank',
      title: TITLES[this.status] ?? reasonOf(this.status),
      status: this.status,
      detail: this.detail,
      ...place,
      code: this.code,
      ...(this.errors ? { errors: this.errors } : {}),
    };
  }
}

/** How many bad fields a message names. */
const MAX_NAMED = 10;

function messageOf(detail: string, { errors = [], cause }: ProblemOptions): string {
  if (cause instanceof Error) return `${detail} (${printable(cause.message)})`;
  if (errors.length === 0) return detail;
  const named = errors.slice(0, MAX_NAMED).map(({ pointer, message }) => `${pointer} ${message}`.trimStart());
  const more = errors.length > MAX_NAMED ? `; and ${errors.length - MAX_NAMED} more` : '';
  return `${detail} (${printable(named.join('; '))}${more})`;
}

/** The Content-Type of problem details (RFC 9457, section 3). */
export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** The path of a URL without its query: a problem's `instance`. */
export const pathOf = (url: string | undefined) => url?.split('?', 1)[0] ?? '/';

/** Without a limit, a body full of mistakes would produce an answer many times its size. */
export const MAX_ERRORS = 100;
/** The longest part of the caller's text that an answer repeats, in UTF-16 units. */
const MAX_ECHO = 256;
/** Size of all errors together as JSON, in UTF-16 units. */
const MAX_ERROR_UNITS = 48 * 1024;

/** 400: some fields are wrong. Names the first 100 of them. */
export const invalid = (errors: FieldError[], code = 'validation_failed') =>
  new Problem(
    400,
    code,
    `${errors.length === 1 ? 'A field is' : 'Some fields are'} not valid; see "errors".`,
    {
      errors: shown(errors),
    },
  );

function shown(errors: FieldError[]): FieldError[] {
  let left = MAX_ERROR_UNITS;
  return errors
    .slice(0, MAX_ERRORS)
    .map(({ pointer, message }) => ({ pointer: shortened(pointer), message: shortened(message) }))
    .filter((error) => {
      // A control character takes six characters in JSON.
      left -= writeJson(error).length;
      return left > 0;
    });
}

const shortened = (text: string) => (text.length > MAX_ECHO ? `${text.slice(0, MAX_ECHO)}…` : text);

/** 404: the object does not exist, or belongs to somebody else. */
export const notFound = (what: string) => new Problem(404, 'not_found', `There is no ${what} with this id.`);

export const forbidden = (message: string) => new Problem(403, 'forbidden', message);

/** 503: nothing was stored; the caller should try again. @param cause without a statement. */
export const databaseUnavailable = (cause?: unknown) =>
  new Problem(
    503,
    'database_unavailable',
    'The database does not answer at the moment. Nothing was stored; try again.',
    {
      headers: { 'Retry-After': '5' },
      cause,
    },
  );

/** 503: nobody knows whether something was stored. */
export const outcomeUnknown = () =>
  new Problem(
    503,
    'database_unavailable',
    'The database has not confirmed in time; this call may have been stored. Repeat it with the same Idempotency-Key, ' +
      'where it had one: it then has no second effect. Without one, look first.',
    {
      headers: { 'Retry-After': '5' },
    },
  );

/** What a status is called, such as `Payment Required` (RFC 9110, section 15). */
export const reasonOf = (status: number): string =>
  (HttpStatus[status] ?? 'ERROR')
    .toLowerCase()
    .replace(
      /(?:^|_)([a-z])/g,
      (start, letter: string) => `${start.startsWith('_') ? ' ' : ''}${letter.toUpperCase()}`,
    );
