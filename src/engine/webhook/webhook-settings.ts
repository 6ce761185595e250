import type { DeliveryConfig } from '../../platform/config/settings.js';
import { columnJson, formedJson, isObject } from '../../platform/json/column-json.js';
import type { WebhookEntity } from '../../store/tables/webhook/webhook.entity.js';

/** What keeps its order on the way to a webhook. */
export const ORDERINGS = ['none', 'record'] as const;
/** What keeps its order on the way to a webhook: nothing, or the notifications of each record. */
export type Ordering = (typeof ORDERINGS)[number];

/** How a webhook is sent to, as its owner has set it. Null is the service's default. */
export interface WebhookSettings {
  /** Deadline of one attempt, in milliseconds: 1000 to 30,000. */
  timeoutMs: number | null;
  /** Pauses before the second, third … attempt, in seconds, before jitter: 1 to 50, each 0 to 604,800. */
  retryScheduleSeconds: number[] | null;
  /** Attempts under way at once, in each process: 1 to 1000. */
  concurrency: number | null;
  /** Attempts a second at most, over all processes: 0.01 to 10,000. Null is no limit. */
  ratePerSecond: number | null;
  /** `record`: the notifications of a record one at a time, in the order in which they were accepted. */
  ordering: Ordering | null;
  /** Whether only the newest of several undelivered notifications of a record and a kind is sent. */
  coalesce: boolean | null;
  /** Whether it is probed, and recovered, after the service has disabled it as `failing`. */
  autoRecover: boolean | null;
}

/** What holds for a webhook: its own settings, and the service's where it has none. */
export interface EffectiveSettings {
  /** Deadline of one attempt, in milliseconds. */
  timeoutMs: number;
  /** Pauses before the second, third … attempt, in seconds, before jitter. */
  retryScheduleSeconds: number[];
  /** Attempts under way at once, in each process. */
  concurrency: number;
  /** Attempts a second at most, over all processes; null for no limit. */
  ratePerSecond: number | null;
  /** `record`: the notifications of a record one at a time, in the order in which they were accepted. */
  ordering: Ordering;
  /** Whether only the newest of several undelivered notifications of a record and a kind is sent. */
  coalesce: boolean;
  /** Whether it is probed, and recovered, after the service has disabled it as `failing`. */
  autoRecover: boolean;
}

/** Which notifications of a webhook are one group. */
export interface OrderingRule {
  /** Those of a record; otherwise those of a record and a kind. */
  byRecord: boolean;
  coalesce: boolean;
}

/** Settings to change: null resets one, and all of them where it stands for the whole. */
export type SettingsChange = { [Name in keyof WebhookSettings]?: WebhookSettings[Name] | undefined } | null;

type DeliveryDefaults = Pick<DeliveryConfig, 'timeoutMs' | 'retryScheduleMs' | 'webhookConcurrency'>;

const UNSET: WebhookSettings = {
  timeoutMs: null,
  retryScheduleSeconds: null,
  concurrency: null,
  ratePerSecond: null,
  ordering: null,
  coalesce: null,
  autoRecover: null,
};

const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0;
const isBoolean = (value: unknown) => typeof value === 'boolean';

/** What the columns hold of each. */
const FORMS: Record<keyof WebhookSettings, (value: unknown) => boolean> = {
  timeoutMs: isCount,
  retryScheduleSeconds: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((pause) => Number.isFinite(pause) && pause >= 0),
  concurrency: isCount,
  ratePerSecond: (value) => Number.isFinite(value) && (value as number) > 0,
  ordering: (value) => ORDERINGS.includes(value as Ordering),
  coalesce: isBoolean,
  autoRecover: isBoolean,
};

const areSettings = (value: unknown): boolean =>
  isObject(value) &&
  Object.entries(FORMS).every(([name, isForm]) => value[name] == null || isForm(value[name]));

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

/** As the column keeps them: those that are set; null if none is. */
export function storedSettings(settings: WebhookSettings): string | null {
  const set = Object.entries(settings).filter(([, value]) => value !== null);
  return set.length === 0 ? null : JSON.stringify(Object.fromEntries(set));
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
  return { settings, effectiveSettings: effectiveSettings(settings, delivery) };
}

/** Which notifications of a webhook are one group, from the column of its settings; null if it asks for no order. */
export function orderingRuleOf(column: string | null): OrderingRule | null {
  // Nearly every webhook has none, and this is asked for each of them with every notification.
  if (column === null || !LINES.test(column)) return null;
  // Nothing is sent to one whose settings cannot be read.
  const { ordering, coalesce } = formedJson<Partial<WebhookSettings>>(column, areSettings) ?? UNSET;
  return ordering === 'record' || coalesce
    ? { byRecord: ordering === 'record', coalesce: coalesce ?? false }
    : null;
}
const LINES = /"(?:ordering|coalesce)"/;

function effectiveSettings(settings: WebhookSettings, delivery: DeliveryDefaults): EffectiveSettings {
  const { retryScheduleSeconds, ratePerSecond } = settings;
  return {
    timeoutMs: settings.timeoutMs ?? delivery.timeoutMs,
    retryScheduleSeconds: retryScheduleSeconds ?? delivery.retryScheduleMs.map((pause) => pause / 1000),
    concurrency: settings.concurrency ?? delivery.webhookConcurrency,
    ratePerSecond,
    ordering: settings.ordering ?? 'none',
    coalesce: settings.coalesce ?? false,
    autoRecover: settings.autoRecover ?? false,
  };
}
