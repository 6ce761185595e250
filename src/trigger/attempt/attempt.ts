import type { AttemptError, AttemptErrorCode, AttemptErrorDetail } from '../../network/attempt-error.js';
import type { AttemptPhases } from '../../network/phase-clock.js';
import { columnJson, isNumbers, isObject, isText, isTexts } from '../../platform/json/column-json.js';
import { toDateTime } from '../../platform/json/json-time.js';
import type { AttemptEntity } from '../../store/tables/trigger/attempt.entity.js';
import type { AttemptCause } from '../../store/tables/trigger/trigger.entity.js';
import { diagnosisOf } from './diagnosis/diagnoses.js';
import type { Diagnosis } from './diagnosis/diagnosis.js';

/** What a receiver answered. */
export interface ResponseData {
  /** The HTTP status, such as 200. */
  status: number;
  /** Names in lower case; repeated headers joined by `, `. At most 8 KiB. */
  headers: Record<string, string>;
  /** The body as text, at most 16 KiB. A list of triggers has it only with `include: 'data'`. */
  body?: string;
  /** True if the answer was longer than what is kept, or was cut before its end. */
  truncated: boolean;
  /** How long the attempt took, in milliseconds. */
  durationMs: number;
}

/** One request of a trigger, and its result. */
export interface Attempt {
  /** 1, 2, ... as sent in `webhook-attempt`. */
  number: number;
  /**
   * Why it was made: by the `schedule`, for a `retry` or a `recover`, as a `test`, or as the `probe` of a receiver that
   * was left alone after failures.
   */
  cause: AttemptCause;
  /** RFC 3339, UTC, milliseconds. */
  begin: string;
  /** RFC 3339, UTC, milliseconds. */
  end: string;
  /** From `begin` to `end`, in milliseconds. */
  durationMs: number;
  /** Milliseconds from the start of the attempt to the end of each phase that it reached. */
  phases: AttemptPhases;
  /** Null if the receiver did not answer. */
  responseData: ResponseData | null;
  /** Why it failed; null if it succeeded. */
  error: AttemptError | null;
  /** What the error means and what to do about it; null if it succeeded. */
  diagnosis: Diagnosis | null;
}

/** What services answer for a stored attempt. */
export const attemptOf = (row: AttemptEntity): Attempt => ({
  number: row.number,
  cause: row.cause,
  begin: toDateTime(row.beginAt),
  end: toDateTime(row.endAt),
  durationMs: row.endAt - row.beginAt,
  phases: phasesOf(row),
  responseData: responseDataOf(row, true),
  error: errorOf(row),
  diagnosis: diagnosisOfAttempt(row),
});

/** @param withBody true to show the body of the response. */
export function responseDataOf(row: AttemptEntity, withBody: boolean): ResponseData | null {
  const response = responseOf(row);
  if (response === null) return null;
  const { status, headers, truncated = false } = response;
  const durationMs = row.endAt - row.beginAt;
  return withBody
    ? { status, headers, body: row.responseBody ?? '', truncated, durationMs }
    : { status, headers, truncated, durationMs };
}

export const errorOf = ({ errorCode, errorMessage }: AttemptEntity): AttemptError | null =>
  errorCode === null ? null : { code: errorCode as AttemptErrorCode, message: errorMessage ?? '' };

/** Made of what is stored of the attempt; null if it succeeded. */
export function diagnosisOfAttempt(row: AttemptEntity): Diagnosis | null {
  if (row.errorCode === null) return null;
  const response = responseOf(row);
  return diagnosisOf({
    code: row.errorCode,
    message: row.errorMessage ?? '',
    status: response?.status ?? null,
    location: response?.headers.location ?? null,
    retryAfter: response?.headers['retry-after'] ?? null,
    phases: phasesOf(row),
    detail: detailOf(row),
  });
}

/** A response as the column keeps it. */
interface StoredResponse {
  status: number;
  headers: Record<string, string>;
  truncated?: boolean;
}

const isResponse = (value: unknown) =>
  isObject(value) && Number.isInteger(value.status) && isTexts(value.headers);

const isCertificate = (value: unknown) =>
  isObject(value) &&
  Object.entries(value).every(([name, fact]) =>
    name === 'names' ? Array.isArray(fact) && fact.every(isText) : isText(fact),
  );

const isDetail = (value: unknown) =>
  isObject(value) &&
  Object.entries(value).every(([name, fact]) =>
    name === 'certificate' ? isCertificate(fact) : isText(fact),
  );

const cellOf = ({ triggerId, number }: AttemptEntity, column: string) => ({
  column: `webhook_attempt.${column}`,
  row: `${triggerId} ${number}`,
});

/** Null if there is none, or it cannot be read. */
const responseOf = (row: AttemptEntity): StoredResponse | null =>
  row.response === null ? null : columnJson(row.response, cellOf(row, 'response'), isResponse);

const phasesOf = (row: AttemptEntity): AttemptPhases =>
  columnJson<AttemptPhases>(row.phases, cellOf(row, 'phases'), isNumbers) ?? {};

const detailOf = (row: AttemptEntity): AttemptErrorDetail =>
  (row.errorDetail === null ? null : columnJson(row.errorDetail, cellOf(row, 'error_detail'), isDetail)) ??
  {};
