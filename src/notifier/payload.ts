import { isDeeperThan } from '../platform/json/json-text.js';
import { writeGiven, writeJson } from '../platform/json/write-json.js';
import { type FieldError, invalid, Problem } from '../platform/problem.js';
import { idOf, parseRecord, type RecordText } from './lifecycle/record-text.js';

/** Maximum size of a record, in bytes. */
const MAX_BYTES = 1024 * 1024;
/** Maximum depth of a record, in levels. The body around it adds one. */
const MAX_DEPTH = 63;

/** A lifecycle event as it was reported, over REST or in process. */
export interface NotificationInput {
  eventKind: string;
  userId: string;
  /** Source of the record, valid JSON. */
  recordText: string;
  /** The analysis that finished: required for `ANALYSIS_FINISHED`, unused for other kinds. */
  analysisId: string | null;
  /** W3C Trace Context, forwarded to the receivers. */
  traceparent: string | null;
  /** How many webhook services it has passed through. */
  hops: number;
}

/** What is stored of a lifecycle event. */
export interface Payload {
  /** The bytes that webhooks receive. */
  body: Buffer;
  /** At most 256 characters; null if a record of the application's own kind has no such `id`. */
  recordId: string | null;
}

/**
 * Makes the payload of a notification.
 *
 * @param isHostKind whether the application registered its kind. Records of such kinds may be any object.
 * @param triggeredAt RFC 3339.
 * @throws Problem 400 naming every problem of the record, `analysis_not_in_record`, `json_too_deep`; 413
 */
export function payloadOf(input: NotificationInput, isHostKind: boolean, triggeredAt: string): Payload {
  const { eventKind, recordText } = input;
  if (Buffer.byteLength(recordText) > MAX_BYTES)
    throw new Problem(413, 'body_too_large', 'A record may hold 1 MiB at most.');
  if (isDeeperThan(recordText, MAX_DEPTH))
    throw new Problem(400, 'json_too_deep', `The record is nested deeper than ${MAX_DEPTH} levels.`);
  if (!isHostKind) return recordPayload(input, triggeredAt);
  if (!recordText.startsWith('{')) throw invalid([{ pointer: '/record', message: 'must be an object' }]);
  return { body: Buffer.from(envelope(recordText, eventKind, triggeredAt)), recordId: idOf(recordText) };
}

function recordPayload(
  { eventKind, recordText, analysisId }: NotificationInput,
  triggeredAt: string,
): Payload {
  const parsed = parseRecord(recordText);
  if (!parsed.ok) throw invalid(parsed.problems.map(inRecord));
  const only = eventKind === 'ANALYSIS_FINISHED' ? analysisId : null;
  const text = payloadText(parsed.record, eventKind, triggeredAt, only);
  if (text === null) throw analysisNotInRecord();
  return { body: Buffer.from(text), recordId: parsed.record.id };
}

/**
 * The body that webhooks receive: `{"data":<record>,"triggered_at":"...","event_kind":"..."}`. The record's source
 * is copied unchanged, except that `analyses` is renamed to `analysis` in place and unwanted analyses are left out.
 *
 * @param triggeredAt RFC 3339, UTC.
 * @param analysisId keeps only this analysis, the first one if several share the id; null keeps all.
 * @returns null if `analysisId` is not among the analyses.
 */
function payloadText(
  record: RecordText,
  eventKind: string,
  triggeredAt: string,
  analysisId: string | null,
): string | null {
  const { text, analysisMember } = record;
  const analysis = analysisText(record, analysisId);
  if (analysis === null) return null;
  const renamed = analysisMember.key === 'analyses';
  const beforeValue = renamed
    ? `${text.slice(0, analysisMember.keyStart)}"analysis"${text.slice(analysisMember.keyEnd, analysisMember.start)}`
    : text.slice(0, analysisMember.start);
  const data = beforeValue + analysis + text.slice(analysisMember.end);
  return envelope(data, eventKind, triggeredAt);
}

/** @param data JSON source. */
function envelope(data: string, eventKind: string, triggeredAt: string): string {
  return `{"data":${data},"triggered_at":${writeJson(triggeredAt)},"event_kind":${writeJson(eventKind)}}`;
}

function analysisText({ text, analysisIds, analysisMember, analysisSpans }: RecordText, id: string | null) {
  if (id === null) return text.slice(analysisMember.start, analysisMember.end);
  const span = analysisSpans[analysisIds.indexOf(id)];
  return span === undefined ? null : `[${text.slice(span.start, span.end)}]`;
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

/** A record as JSON source. @throws Problem 400 for a bigint or a cycle. */
export function recordTextOf(record: unknown): string {
  try {
    // It returns undefined for a value that JSON cannot represent. The record check refuses null as well.
    return writeGiven(record) ?? 'null';
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw invalid([
      { pointer: '/record', message: `must be a JSON value: ${error.message.split('\n', 1)[0]}` },
    ]);
  }
}
