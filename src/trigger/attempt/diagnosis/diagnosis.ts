import type { AttemptErrorCode, AttemptErrorDetail } from '../../../network/attempt-error.js';
import type { AttemptPhases } from '../../../network/phase-clock.js';
import type { CancelledFor } from '../../../store/tables/trigger/trigger.entity.js';

/** What an error means, in plain words, for the developer who runs the receiver. */
export interface Diagnosis {
  /** What happened, in a sentence or two. */
  summary: string;
  /** What to do about it. */
  advice: string;
}

/** What can go wrong: the error of an attempt, or why the trigger was cancelled. */
export type DiagnosedCode = AttemptErrorCode | CancelledFor;

/** What is stored of a failed attempt. */
export interface FailedAttempt {
  code: string;
  message: string;
  /** Null if there was no answer. */
  status: number | null;
  /** The headers of the answer, if it had them. */
  location: string | null;
  retryAfter: string | null;
  phases: AttemptPhases;
  detail: AttemptErrorDetail & { /** The host of the webhook's URL. */ host?: string };
}

/** The end of a summary: where a connection was not opened, if the host has several addresses. */
export const triedOf = (addresses: string | undefined): string =>
  addresses === undefined ? '' : ` Tried were ${addresses}.`;
