import { dueTimeOf } from '../engine/ledger/due-time.js';
import { NEVER_DUE } from '../engine/ledger/never-due.js';
import { isWhole } from '../engine/ledger/whole-body.js';
import type { ShownRequest } from '../engine/send/head/request-head.js';
import type { AttemptErrorCode } from '../network/attempt-error.js';
import { toDateTime } from '../platform/json/json-time.js';
import type { AttemptEntity } from '../store/tables/trigger/attempt.entity.js';
import type { CancelledFor, TriggerEntity, TriggerStatus } from '../store/tables/trigger/trigger.entity.js';
import {
  type Attempt,
  attemptOf,
  diagnosisOfAttempt,
  errorOf,
  type ResponseData,
  responseDataOf,
} from './attempt/attempt.js';
import { ERASED, SUPERSEDED } from './attempt/diagnosis/diagnoses.js';
import type { Diagnosis } from './attempt/diagnosis/diagnosis.js';

/** What the last attempt sent. */
export interface RequestData {
  /** Always `POST`. */
  method: 'POST';
  /** Null before the first attempt. */
  url: string | null;
  /** Names as sent. Values that may be credentials are `********`. Empty before the first attempt. */
  headers: Record<string, string>;
  /**
   * The JSON text sent, character for character: `JSON.parse` gives `{ data, triggered_at, event_kind }`, but changes
   * numbers that JavaScript cannot represent. A list of triggers has it only with `include: 'data'`. Left out once it was
   * erased, or is past its retention.
   */
  body?: string;
}

/** Why a trigger was not delivered. */
export interface TriggerError {
  /**
   * For programs: that of the last attempt; `erased` if it was cancelled because its data was erased, `superseded` because a
   * newer notification took its place. Codes may be added.
   */
  code: AttemptErrorCode | CancelledFor;
  /** One plain sentence for the webhook's owner. */
  message: string;
}

/** One firing of a webhook. */
export interface Trigger {
  /** UUIDv7. */
  id: string;
  /** The same for all triggers of a notification, and sent as `webhook-id`. UUIDv7. */
  notificationId: string;
  /** UUIDv7. */
  webhookId: string;
  /** UUIDv7; null for a test. */
  eventId: string | null;
  /** Upper snake case, such as `RECORD_FINISHED`; `WEBHOOK_TEST` for a test without a kind. */
  eventKind: string;
  /** The owner of the webhook. */
  userId: string;
  /** `PENDING` and `DELIVERING` change by themselves; `SUCCEEDED`, `FAILED` and `CANCELLED` only by a retry or a recovery. */
  status: TriggerStatus;
  /** Attempts made so far. */
  attemptCount: number;
  /** The start of the first attempt; null before it. RFC 3339, UTC, milliseconds. */
  begin: string | null;
  /** The end of the last attempt, or the time of the cancellation; null until then. RFC 3339, UTC, milliseconds. */
  end: string | null;
  /** Null unless it is `PENDING`, and while it is blocked behind another trigger of its group. RFC 3339, UTC, milliseconds. */
  nextAttemptAt: string | null;
  /** What the last attempt sent. */
  requestData: RequestData;
  /** What the last attempt was answered; null if it was not, or before the first one. */
  responseData: ResponseData | null;
  /** Why the last attempt failed, or no further one is made; null if it succeeded, or before the first one. */
  error: TriggerError | null;
  /** What the error means and what to do about it; null where there is no error. */
  diagnosis: Diagnosis | null;
}

/** One firing of a webhook, with its newest attempts. */
export interface TriggerDetail extends Trigger {
  /** The newest 20, the last one last. */
  attempts: Attempt[];
}

/** The rows of a trigger. */
export interface TriggerRows {
  trigger: TriggerEntity;
  lastAttempt: AttemptEntity | null;
  /** The request of the last attempt, credentials masked. */
  request: ShownRequest | null;
  /** The bytes sent; undefined if they are not asked for. */
  body: Buffer | undefined;
}

const CANCELLED_FOR: Record<CancelledFor, { error: TriggerError; diagnosis: Diagnosis }> = {
  erased: {
    error: {
      code: 'erased',
      message: 'It was cancelled because the data of its record was erased.',
    },
    diagnosis: ERASED,
  },
  superseded: {
    error: {
      code: 'superseded',
      message: 'It was cancelled because a newer notification of the same record and kind took its place.',
    },
    diagnosis: SUPERSEDED,
  },
};

/** What services answer for a stored trigger. @param withBody true to show the body of the response. */
export function triggerOf({ trigger, lastAttempt, request, body }: TriggerRows, withBody: boolean): Trigger {
  const cancelled = trigger.cancelledFor && CANCELLED_FOR[trigger.cancelledFor];
  return {
    id: trigger.id,
    notificationId: trigger.notificationId,
    webhookId: trigger.webhookId,
    eventId: trigger.eventId,
    eventKind: trigger.eventKind,
    userId: trigger.userId,
    status: trigger.status,
    attemptCount: trigger.attemptCount,
    begin: timeOrNull(trigger.beginAt),
    end: timeOrNull(trigger.endAt),
    nextAttemptAt: trigger.status === 'PENDING' ? nextAttemptOf(trigger) : null,
    requestData: requestDataOf(request, body === undefined ? undefined : shownBody(trigger, body)),
    responseData: lastAttempt && responseDataOf(lastAttempt, withBody),
    error: cancelled ? cancelled.error : lastAttempt && errorOf(lastAttempt),
    diagnosis: cancelled ? cancelled.diagnosis : lastAttempt && diagnosisOfAttempt(lastAttempt),
  };
}

/** @param attempts oldest first. */
export const triggerDetailOf = (rows: TriggerRows, attempts: AttemptEntity[]): TriggerDetail => ({
  ...triggerOf(rows, true),
  attempts: attempts.map(attemptOf),
});

function requestDataOf(request: ShownRequest | null, body: string | undefined): RequestData {
  const { url, headers } = request ?? { url: null, headers: {} };
  return body === undefined ? { method: 'POST', url, headers } : { method: 'POST', url, headers, body };
}

/** Undefined for one that is gone, or damaged. */
function shownBody({ notificationId }: TriggerEntity, body: Buffer): string | undefined {
  if (body.length === 0 || !isWhole(notificationId, body)) return undefined;
  return body.toString();
}

const nextAttemptOf = ({ nextAttemptAt }: TriggerEntity) =>
  nextAttemptAt === NEVER_DUE ? null : timeOrNull(nextAttemptAt && dueTimeOf(nextAttemptAt));

const timeOrNull = (time: number | null) => (time === null ? null : toDateTime(time));
