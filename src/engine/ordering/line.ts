import { createHash } from 'node:crypto';
import type { Insert } from '../../store/insert.js';
import type { Lining } from '../webhook/webhook-settings.js';

/** Where a trigger stands. Everything that has the same `line` is sent one at a time, in the order of `place`. */
export interface LinePlace {
  line: string;
  place: string;
  /** Of those with the same topic only the newest is sent; null if all are. */
  topic: string | null;
}

/** A notification, as far as it decides where its triggers stand. */
export interface Lineable {
  id: string;
  eventKind: string;
  recordId: string | null;
  /** Read only for `ANALYSIS_FINISHED` with `coalesce`. */
  body: Buffer | null;
}

/** @returns null for a notification without a record: it waits for no other. */
export function lineOf(
  webhookId: string,
  notification: Lineable,
  { byRecord, coalesce }: Lining,
): LinePlace | null {
  const { id: place, eventKind, recordId } = notification;
  if (recordId === null) return null;
  const topic = coalesce ? hashOf([webhookId, recordId, eventKind, analysisOf(notification)]) : null;
  const line = byRecord || topic === null ? hashOf([webhookId, recordId]) : topic;
  return { line, place, topic };
}

/** Ids may be of any form and length; a row of a line needs one that is short and tells nothing. */
const hashOf = (parts: (string | null)[]) =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

/** Two analyses of a record that finish are two things to tell. The body holds the one that finished. */
function analysisOf({ eventKind, body }: Lineable): string | null {
  if (eventKind !== 'ANALYSIS_FINISHED') return null;
  try {
    const { data } = JSON.parse(String(body)) as { data: { analysis: { id: string }[] } };
    return data.analysis[0]?.id ?? null;
  } catch {
    // Nothing is left of it to send. One row that cannot be read must not stop all lines.
    return null;
  }
}

/** A trigger's place in its line. */
export interface LineEntry extends LinePlace {
  triggerId: string;
}

export const entriesOf = (entries: LineEntry[]): Insert => ({
  table: 'webhook_line_entry',
  columns: ['trigger_id', 'line', 'place', 'topic'],
  rows: entries.map(({ triggerId, line, place, topic }) => [triggerId, line, place, topic]),
});
