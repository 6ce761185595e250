import {
  decodeString,
  elements,
  type JsonMember,
  type JsonSpan,
  members,
  skipSpace,
} from '../../platform/json/json-text.js';

/** A problem of a record; `pointer` is a JSON Pointer (RFC 6901) relative to the record. */
export type RecordProblem = { pointer: string; message: string };

/** A valid record: its source text, and the spans that a payload is made of. */
export interface RecordText {
  id: string;
  /** In the order of the record. An id may occur more than once. */
  analysisIds: string[];
  text: string;
  /** The member `analysis`, or `analyses` if that is given instead. */
  analysisMember: JsonMember;
  /** The source of each analysis, parallel to {@link analysisIds}. */
  analysisSpans: JsonSpan[];
}

const MAX_RECORD_ID_LENGTH = 256;
const RECORD_ID_RULE = `must be a non-empty string of at most ${MAX_RECORD_ID_LENGTH} characters`;
const ANALYSIS_ID_RULE = 'must be a non-empty string';
const GIVEN_TWICE = 'is given more than once';
/** A body full of mistakes would otherwise get an answer many times its size. */
const MAX_PROBLEMS = 100;
/** The members that are read from a record and its analyses. */
const READ = ['id', 'analysis', 'analyses'];

/**
 * Reads a record: an object with `id` (1..256 UTF-16 units) and `analysis`, or `analyses` instead, an array of objects
 * that each have a non-empty string `id`. These members may not be repeated, because receivers would disagree on which
 * one counts. Other members are not read.
 *
 * @param recordText source text that `JSON.parse` accepts.
 * @returns the record, or all its problems (the first 100).
 */
export function parseRecord(
  recordText: string,
): { ok: true; record: RecordText } | { ok: false; problems: RecordProblem[] } {
  const problems: RecordProblem[] = [];
  const start = skipSpace(recordText, 0);
  if (recordText[start] !== '{')
    return { ok: false, problems: [{ pointer: '', message: 'must be an object' }] };

  const all = members(recordText, start, READ);
  const id = readId(recordText, all, '', RECORD_ID_RULE, problems);
  if (id !== null && id.length > MAX_RECORD_ID_LENGTH)
    problems.push({ pointer: '/id', message: RECORD_ID_RULE });
  const analysisMember = findAnalysisMember(all, problems);
  if (analysisMember === null) return { ok: false, problems };

  const { key } = analysisMember;
  if (recordText[analysisMember.start] !== '[') {
    problems.push({ pointer: `/${key}`, message: 'must be an array' });
    return { ok: false, problems };
  }
  const analysisSpans: JsonSpan[] = [];
  const analysisIds: string[] = [];
  for (const span of elements(recordText, analysisMember.start)) {
    if (problems.length >= MAX_PROBLEMS) break;
    const index = analysisSpans.push(span) - 1;
    const analysisId = readAnalysisId(recordText, span, `/${key}/${index}`, problems);
    if (analysisId !== null) analysisIds.push(analysisId);
  }
  if (id === null || problems.length > 0) return { ok: false, problems };
  return { ok: true, record: { id, analysisIds, text: recordText, analysisMember, analysisSpans } };
}

/**
 * The `id` of a record of any form: the last one that it gives, as for `JSON.parse`. Null unless that is a string of 1 to 256
 * characters.
 *
 * @param recordText source of an object.
 */
export function idOf(recordText: string): string | null {
  const found = members(recordText, 0, ['id']).at(-1);
  if (found === undefined || recordText[found.start] !== '"') return null;
  const id = decodeString(recordText, found.start, found.end);
  return id === '' || id.length > MAX_RECORD_ID_LENGTH ? null : id;
}

function findAnalysisMember(all: JsonMember[], problems: RecordProblem[]): JsonMember | null {
  const singular = all.filter(({ key }) => key === 'analysis');
  const plural = all.filter(({ key }) => key === 'analyses');
  if (singular.length > 1) problems.push({ pointer: '/analysis', message: GIVEN_TWICE });
  if (plural.length > 1) problems.push({ pointer: '/analyses', message: GIVEN_TWICE });
  if (singular.length > 0 && plural.length > 0) {
    problems.push({ pointer: '/analyses', message: 'cannot be given beside analysis' });
  }
  const found = singular[0] ?? plural[0] ?? null;
  if (found === null) problems.push({ pointer: '/analysis', message: 'is required' });
  return found;
}

function readAnalysisId(
  text: string,
  span: JsonSpan,
  pointer: string,
  problems: RecordProblem[],
): string | null {
  if (text[span.start] === '{')
    return readId(text, members(text, span.start, READ), pointer, ANALYSIS_ID_RULE, problems);
  problems.push({ pointer, message: 'must be an object' });
  return null;
}

/** The `id` among the members of an object. Where it is not a non-empty string, adds a problem and returns null. */
function readId(text: string, all: JsonMember[], parent: string, rule: string, problems: RecordProblem[]) {
  const ids = all.filter(({ key }) => key === 'id');
  const found = ids[0];
  if (found === undefined || ids.length > 1) {
    problems.push({ pointer: `${parent}/id`, message: found === undefined ? 'is required' : GIVEN_TWICE });
    return null;
  }
  const id = text[found.start] === '"' ? decodeString(text, found.start, found.end) : '';
  if (id !== '') return id;
  problems.push({ pointer: `${parent}/id`, message: rule });
  return null;
}
