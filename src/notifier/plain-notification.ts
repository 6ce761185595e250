import { isObject } from '../platform/json/column-json.js';

/** The fields of a reported notification, beside its record. */
export interface PlainEnvelope {
  event_kind: string;
  user_id: string;
  analysis_id?: string | undefined;
}

const FIELDS = ['event_kind', 'user_id', 'record', 'analysis_id'];
/** Printable ASCII without leading or trailing spaces. */
const PLAIN_ID = /^[!-~](?:[ -~]{0,126}[!-~])?$/;

/**
 * Whether a value is certainly a valid user id. Other values go to the schema, which takes ten times as long but can
 * name the error.
 */
export const isPlainUserId = (value: unknown): value is string =>
  typeof value === 'string' && PLAIN_ID.test(value);

/**
 * Returns the envelope of a body that is certainly valid; any other body goes to the schema.
 *
 * @returns the body itself, or null where the schema has to judge it.
 */
export function plainEnvelope(body: unknown): PlainEnvelope | null {
  if (typeof body !== 'object' || body === null) return null;
  for (const field in body) if (!FIELDS.includes(field)) return null;
  const { event_kind, user_id, record, analysis_id = 'none' } = body as Record<string, unknown>;
  const isPlain =
    typeof event_kind === 'string' &&
    isPlainUserId(user_id) &&
    isObject(record) &&
    typeof analysis_id === 'string' &&
    analysis_id !== '';
  return isPlain ? (body as PlainEnvelope) : null;
}
