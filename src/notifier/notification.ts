import { isDeeperThan } from '../common/json/json-text.js';
import { type FieldError, invalid, Problem } from '../common/problem.js';
import { envelope, parseRecord, payloadText } from '../lifecycle/record-text.js';

/** The most that a record may hold, in bytes. */
const MAX_BYTES = 1024 * 1024;
/** In levels; the body around it is one more. */
const MAX_DEPTH = 63;

/** A lifecycle event as it comes in, over REST or in process. */
export interface NotificationInput {
  eventKind: string;
  userId: string;
  /** JSON source of the record, valid JSON. */
  recordText: string;
  /** The analysis that finished; only `ANALYSIS_FINISHED` has one, and needs it. */
  analysisId: string | null;
  /** W3C Trace Context, passed on to the receivers. */
  traceparent: string | null;
  /** Services like this one that it has come through. */
  hops: number;
}

/**
 * The bytes that webhooks receive for it.
 *
 * @param isHostKind whether it is a kind of the application's own, whose records are any object.
 * @param triggeredAt RFC 3339.
 * @throws Problem 400 naming all that is wrong with the record, `analysis_not_in_record`, `json_too_deep`; 413
 */
export function bodyOf(input: NotificationInput, isHostKind: boolean, triggeredAt: string): Buffer {
  const { eventKind, recordText } = input;
  if (Buffer.byteLength(recordText) > MAX_BYTES)
    throw new Problem(413, 'body_too_large', 'A record may hold 1 MiB at most.');
  if (isDeeperThan(recordText, MAX_DEPTH))
    throw new Problem(400, 'json_too_deep', `The record is nested deeper than ${MAX_DEPTH} levels.`);
  if (!isHostKind) return Buffer.from(recordBody(input, triggeredAt));
  if (!recordText.startsWith('{')) throw invalid([{ pointer: '/record', message: 'must be an object' }]);
  return Buffer.from(envelope(recordText, eventKind, triggeredAt));
}

function recordBody({ eventKind, recordText, analysisId }: NotificationInput, triggeredAt: string): string {
  const parsed = parseRecord(recordText);
  if (!parsed.ok) throw invalid(parsed.problems.map(inRecord));
  const only = eventKind === 'ANALYSIS_FINISHED' ? analysisId : null;
  const text = payloadText(parsed.record, eventKind, triggeredAt, only);
  if (text === null) throw analysisNotInRecord();
  return text;
}

const inRecord = ({ pointer, message }: FieldError): FieldError => ({
  pointer: `/record${pointer}`,
  message,
});

function analysisNotInRecord(): Problem {
  return invalid(
    [{ pointer: '/analysis_id', message: "is not the id of one of the record's analyses" }],
    'analysis_not_in_record',
  );
}
