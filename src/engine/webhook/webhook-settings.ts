import {
  MAX_PAUSE_MS,
  MAX_PAUSES,
  MAX_TIMEOUT_MS,
  MAX_WEBHOOK_CONCURRENCY,
  MIN_TIMEOUT_MS,
} from '../../platform/config/settings.js';
import { columnJson, formedJson, isObject } from '../../platform/json/column-json.js';
import { writeJson } from '../../platform/json/write-json.js';
import type { WebhookEntity } from '../../store/tables/webhook/webhook.entity.js';
import {
  amount,
  count,
  type DeliveryDefaults,
  oneOf,
  optional,
  pauses,
  type Setting,
  setting,
  yesOrNo,
} from './setting.js';

/** The settings of a webhook. Each is declared here alone: types, column, body, answers and their documentation follow. */
export const DECLARED = {
  /** Deadline of one attempt, in milliseconds: 1000 to 30,000. */
  timeoutMs: setting(count(MIN_TIMEOUT_MS, MAX_TIMEOUT_MS), {
    standard: ({ timeoutMs }) => timeoutMs,
    description: 'Deadline of one attempt',
    example: 5000,
  }),
  /** Pauses before the second, third … attempt, in seconds, before jitter: 1 to 50, each 0 to 604,800. */
  retryScheduleSeconds: setting(pauses(MAX_PAUSES, MAX_PAUSE_MS / 1000), {
    standard: ({ retryScheduleMs }) => retryScheduleMs.map((pause) => pause / 1000),
    description: 'Pauses before the second, third … attempt, before jitter',
    example: [10, 60, 600],
  }),
  /** Attempts under way at once, in each process: 1 to 1000. */
  concurrency: setting(count(1, MAX_WEBHOOK_CONCURRENCY), {
    standard: ({ webhookConcurrency }) => webhookConcurrency,
    description: 'Attempts under way at once, in each process',
    example: 10,
    ownExample: null,
  }),
  /** Attempts a second at most, over all processes: 0.01 to 10,000. Null is no limit. */
  ratePerSecond: optional(amount(0.01, 10_000), {
    description: 'Attempts a second at most, over all processes; null is no limit',
    example: 50,
  }),
  /** `record`: the notifications of a record one at a time, in the order in which they were accepted. */
  ordering: setting(oneOf(['none', 'record']), {
    standard: () => 'none',
    description:
      '`record`: the notifications of a record one at a time, in the order in which they were accepted',
    example: 'record',
  }),
  /** Whether only the newest of several undelivered notifications of a record and a kind is sent. */
  coalesce: setting(yesOrNo, {
    standard: () => false,
    description: 'Of several undelivered notifications of a record and a kind only the newest is sent',
    example: false,
    ownExample: null,
  }),
  /** Whether it is probed, and recovered, after the service has disabled it as `failing`. */
  autoRecover: setting(yesOrNo, {
    standard: () => false,
    description:
      'Whether it is probed after the service has disabled it as `failing`; the first 2xx enables it and recovers what it missed',
    example: true,
  }),
};

type Declared = typeof DECLARED;
type Own = {
  [Name in keyof Declared]: Declared[Name] extends Setting<infer Value, unknown> ? Value | null : never;
};
type Effective = {
  [Name in keyof Declared]: Declared[Name] extends Setting<unknown, infer Value> ? Value : never;
};

/** How a webhook is sent to, as its owner has set it. Null is the service's default. */
export interface WebhookSettings extends Own {}
/** What holds for a webhook: its own settings, and the service's where it has none. */
export interface EffectiveSettings extends Effective {}

/** Which notifications of a webhook are one group. */
export interface OrderingRule {
  /** Whether all notifications of a record are one group; otherwise those of a record and a kind are. */
  byRecord: boolean;
  coalesce: boolean;
}

/** Settings to change: null resets one, and all of them where it stands for the whole. */
export type SettingsChange = { [Name in keyof WebhookSettings]?: WebhookSettings[Name] | undefined } | null;

const ALL = Object.entries(DECLARED) as [keyof Declared, Setting<unknown, unknown>][];

const UNSET = Object.fromEntries(ALL.map(([name]) => [name, null])) as unknown as WebhookSettings;

const areSettings = (value: unknown): boolean =>
  isObject(value) && ALL.every(([name, { isStored }]) => value[name] == null || isStored(value[name]));

/** The settings that a webhook's row holds; null if they cannot be read. */
export function settingsOf({ id, settings }: Pick<WebhookEntity, 'id' | 'settings'>): WebhookSettings | null {
  if (settings === null) return UNSET;
  const set = columnJson<Partial<WebhookSettings>>(
    settings,
    { column: 'webhook.settings', row: id },
    areSettings,
  );
  return set && { ...UNSET, ...set };
}

/** The settings as the column keeps them: the ones that are set; null if none is. */
export function storedSettings(settings: WebhookSettings): string | null {
  const set = Object.entries(settings).filter(([, value]) => value !== null);
  return set.length === 0 ? null : writeJson(Object.fromEntries(set));
}

export function mergedSettings(before: WebhookSettings, change: SettingsChange): WebhookSettings {
  if (change === null) return UNSET;
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  return { ...before, ...Object.fromEntries(given) };
}

/** The settings of a webhook that had none. */
export const newSettings = (change: SettingsChange): WebhookSettings => mergedSettings(UNSET, change);

/** The settings that a row holds, none if they cannot be read, and what they make of the service's. */
export function settingsPair(row: Pick<WebhookEntity, 'id' | 'settings'>, delivery: DeliveryDefaults) {
  const settings = settingsOf(row) ?? UNSET;
  const effective = ALL.map(([name, { standard }]) => [name, settings[name] ?? standard?.(delivery) ?? null]);
  return { settings, effectiveSettings: Object.fromEntries(effective) as EffectiveSettings };
}

/** Which notifications of a webhook are one group, from the column of its settings; null if it asks for no order. */
export function orderingRuleOf(column: string | null): OrderingRule | null {
  // Nearly every webhook has none, and this is asked for each of them with every notification.
  if (column === null || !ASKS_FOR_ORDER.test(column)) return null;
  // Nothing is sent to one whose settings cannot be read.
  const { ordering, coalesce } = formedJson<Partial<WebhookSettings>>(column, areSettings) ?? UNSET;
  return ordering === 'record' || coalesce
    ? { byRecord: ordering === 'record', coalesce: coalesce ?? false }
    : null;
}
const ASKS_FOR_ORDER = /"(?:ordering|coalesce)"/;
