import type { WebhookAttemptDto } from 'webhook-notification-service-client';
import { milliseconds, words } from '../../parts/text/format.js';
import { phasesOf } from './phases.js';
import { outcomeOf } from './timeline.js';

export interface Difference {
  what: string;
  one: string;
  other: string;
}

/** What differs between two attempts, as texts; '' where one has nothing of it. */
export function differencesOf(one: WebhookAttemptDto, other: WebhookAttemptDto): Difference[] {
  const [a, b] = [factsOf(one), factsOf(other)];
  const [bodyOfOne, bodyOfOther] = [one, other].map(({ response_data }) => response_data?.body ?? '');
  const facts = [...new Set([...a.keys(), ...b.keys()])]
    .map((what) => ({ what, one: a.get(what) ?? '', other: b.get(what) ?? '' }))
    .filter((row) => row.one !== row.other);
  if (bodyOfOne === bodyOfOther) return facts;
  const [own, others] = [linesOf(bodyOfOne), linesOf(bodyOfOther)];
  return [
    ...facts,
    { what: 'Body, lines that differ', one: without(own, others), other: without(others, own) },
  ];
}

function factsOf(attempt: WebhookAttemptDto): Map<string, string> {
  const { cause, duration_ms, error, response_data } = attempt;
  const headers = Object.entries(response_data?.headers ?? {});
  return new Map([
    ['Made', words(cause)],
    ['Answer', outcomeOf(attempt)],
    ...(error ? [['Error', error.message] as const] : []),
    ['Duration', milliseconds(duration_ms)],
    ...phasesOf(attempt).map(({ name, ms }) => [name, milliseconds(ms)] as const),
    ...headers.map(([name, value]) => [name, value] as const),
  ]);
}

const linesOf = (text = ''): string[] => text.split('\n');

function without(lines: readonly string[], others: readonly string[]): string {
  const known = new Set(others);
  return lines.filter((line) => !known.has(line)).join('\n');
}
