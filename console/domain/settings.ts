import type { WebhookDto } from 'webhook-notification-service-client';
import { count, milliseconds, span } from '../parts/text/format.js';
import { parseSchedule } from './schedule.js';

type Own = WebhookDto['settings'];
type Name = keyof Own;

/** A setting as the console has it: `Typed` is what a form holds of it. */
interface Row<Value, Typed> {
  label: string;
  /** While a webhook has none of its own. */
  empty: Typed;
  typed(value: Value): Typed;
  /** What the API takes. What is no number goes as it is: the service says what is wrong with it. */
  given(typed: Typed): unknown;
  shown(value: Value): string;
}

interface NumberRow extends Row<number, string> {
  /** In what it is typed, where its name does not say so. */
  unit?: string;
  inputMode: 'numeric' | 'decimal';
  /** What null is for a webhook. */
  none?: string;
}

interface Switch<Value> extends Row<Value, boolean> {
  hint: string;
}

const number = (
  label: string,
  inputMode: NumberRow['inputMode'],
  { factor = 1, ...more }: { factor?: number } & Partial<NumberRow> = {},
): NumberRow => ({
  label,
  inputMode,
  empty: '',
  typed: (value) => `${value / factor}`,
  given: (typed) => numberOf(typed, factor),
  shown: count,
  ...more,
});

/** @param on what is set by switching it on; off is none of its own. */
const switchOf = <Value>(on: NonNullable<Value>, label: string, hint: string): Switch<Value> => ({
  label,
  hint,
  empty: false,
  typed: (value) => value === on,
  given: (isOn) => (isOn ? on : null),
  shown: (value) => (value === on ? 'yes' : 'no'),
});

export const SCHEDULE: Row<number[], string> = {
  label: 'Pauses between attempts',
  empty: '',
  typed: (pauses) => pauses.map(exactSpan).join(', '),
  given: (typed) => (typed.trim() === '' ? null : (parseSchedule(typed) ?? typed)),
  shown: (pauses) => pauses.map(span).join(', '),
};

export const NUMBERS = {
  timeout_ms: number('Longest wait for an answer', 'decimal', {
    unit: 'seconds',
    factor: 1000,
    shown: milliseconds,
  }),
  rate_per_second: number('Attempts a second at most', 'decimal', { none: 'No limit' }),
  concurrency: number('Attempts at once', 'numeric'),
};

export const SWITCHES = {
  ordering: switchOf<Own['ordering']>(
    'record',
    'Keep the order of each record',
    'What is reported of a record is sent one at a time, in its order. One that fails holds back the later ones of its record only.',
  ),
  coalesce: switchOf<Own['coalesce']>(
    true,
    'Send only the newest of a record and kind',
    'Of several that wait, the earlier ones are cancelled.',
  ),
  auto_recover: switchOf<Own['auto_recover']>(
    true,
    'Come back by itself',
    'If it is switched off for failing, it is tried now and then. Once it answers it is on again, and gets what it missed.',
  ),
};

/** All settings, each with all that the console says of it. */
const SETTINGS = { retry_schedule_seconds: SCHEDULE, ...NUMBERS, ...SWITCHES } satisfies {
  [Of in Name]: Row<NonNullable<Own[Of]>, string> | Row<NonNullable<Own[Of]>, boolean>;
};
const ROWS = Object.entries(SETTINGS) as [Name, Row<unknown, unknown> & { none?: string }][];

/** A webhook's own settings as they are typed; empty is what the service does for all. */
export type TypedSettings = { [Of in Name]: (typeof SETTINGS)[Of]['empty'] };

const ofEach = (part: (row: Row<unknown, unknown>, name: Name) => unknown) =>
  Object.fromEntries(ROWS.map(([name, row]) => [name, part(row, name)]));

export const NO_SETTINGS = ofEach(({ empty }) => empty) as TypedSettings;

export const typedSettings = ({ settings }: Pick<WebhookDto, 'settings'>) =>
  ofEach(({ empty, typed }, name) =>
    settings[name] === null ? empty : typed(settings[name]),
  ) as TypedSettings;

/** What the API takes. */
export const settingsOf = (typed: TypedSettings) => ofEach(({ given }, name) => given(typed[name]));

/** What holds for a webhook, and whether it has set that itself. */
export const effectiveSettings = ({ settings, effective_settings: effective }: WebhookDto) =>
  ROWS.map(([name, { label, none, shown }]) => ({
    label,
    text: effective[name] === null ? (none ?? '') : shown(effective[name]),
    isOwn: settings[name] !== null,
  }));

export function numberOf(text: string, factor = 1): number | string | null {
  if (text.trim() === '') return null;
  const value = Number(text) * factor;
  return Number.isNaN(value) ? text : value;
}

/** As it may be typed again; what two units do not say exactly stays in seconds. */
function exactSpan(seconds: number): string {
  const text = span(seconds);
  return parseSchedule(text)?.[0] === seconds ? text : `${seconds} s`;
}
