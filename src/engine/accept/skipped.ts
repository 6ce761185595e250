import { hash } from 'node:crypto';
import { writeJson } from '../../platform/json/write-json.js';
import type { SkippedWebhooks, SkipReason } from './decision-set.js';

/** How the SELECT writes a reason behind a webhook's id. */
export const LETTER_OF: Record<SkipReason, string> = {
  webhook_disabled: 'd',
  not_subscribed: 'n',
  event_disabled: 'e',
  filtered: 'f',
};
const REASON_OF = new Map(
  Object.entries(LETTER_OF).map(([reason, letter]) => [letter, reason as SkipReason]),
);

const ID_LENGTH = 36;
const ENTRY_LENGTH = ID_LENGTH + 1;
const SET_ID_LENGTH = 22;

/**
 * The webhooks of a user that do not get a notification: their ids in ascending order, each with the letter of its reason,
 * one behind the other. A text, because the database makes it and it is hashed as it is; nearly always nothing else happens.
 * Where filters decided, a second line says by which of their parts, as a JSON object by webhook.
 */
export type Skipped = string;

/** A webhook whose filter does not match. */
export interface Filtered {
  webhookId: string;
  /** The part of the filter, as a JSON Pointer (RFC 6901); null if no filter decided. */
  part: string | null;
}

/** How many webhooks it names, of a text without a second line; not a whole number if it was cut off. */
export const countOf = (skipped: Skipped) => skipped.length / ENTRY_LENGTH;

/** The first webhooks of a text that may be too long or cut off. */
export const firstOf = (skipped: Skipped, count: number): Skipped => skipped.slice(0, count * ENTRY_LENGTH);

/** The id of a decision set with this content: 132 bits of a hash. */
export const setIdOf = (content: string): string =>
  hash('sha256', content, 'base64url').slice(0, SET_ID_LENGTH);

/** Adds webhooks in their places, as filtered. */
export function withFiltered(skipped: Skipped, filtered: Filtered[]): Skipped {
  if (filtered.length === 0) return skipped;
  const entries = entriesOf(skipped);
  for (const { webhookId } of filtered) entries.push(webhookId + LETTER_OF.filtered);
  entries.sort();
  const parts = filtered.flatMap(({ webhookId, part }) =>
    part === null ? [] : [[webhookId, part] as const],
  );
  const named = parts.sort(([one], [other]) => (one < other ? -1 : 1));
  return entries.join('') + (named.length > 0 ? `\n${writeJson(Object.fromEntries(named))}` : '');
}

/** The content of the decision set, as it is stored. */
export function skippedWebhooksOf(skipped: Skipped): SkippedWebhooks {
  const [line = '', parts] = skipped.split('\n');
  const found: SkippedWebhooks = parts === undefined ? {} : { parts: JSON.parse(parts) };
  for (const entry of entriesOf(line)) {
    const reason = REASON_OF.get(entry.slice(ID_LENGTH));
    if (!reason) throw new Error('A skipped webhook has no known reason.');
    found[reason] ??= [];
    found[reason].push(entry.slice(0, ID_LENGTH));
  }
  return found;
}

function entriesOf(line: string): string[] {
  const entries: string[] = [];
  for (let at = 0; at < line.length; at += ENTRY_LENGTH) entries.push(line.slice(at, at + ENTRY_LENGTH));
  return entries;
}
