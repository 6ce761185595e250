import type { DeliveryConfig } from '../../config/settings.js';
import type { WebhookEntity } from '../webhook.entity.js';

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
}

/** Settings to change: null resets one, and all of them where it stands for the whole. */
export type SettingsChange = { [Name in keyof WebhookSettings]?: WebhookSettings[Name] | undefined } | null;

type DeliveryDefaults = Pick<DeliveryConfig, 'timeoutMs' | 'retryScheduleMs' | 'webhookConcurrency'>;

const UNSET: WebhookSettings = {
  timeoutMs: null,
  retryScheduleSeconds: null,
  concurrency: null,
  ratePerSecond: null,
};

/** The settings that a webhook's row holds. */
export const settingsOf = ({ settings }: Pick<WebhookEntity, 'settings'>): WebhookSettings =>
  settings === null ? UNSET : { ...UNSET, ...(JSON.parse(settings) as Partial<WebhookSettings>) };

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

/** The settings that a row holds, and what they make of the service's. */
export function settingsPair(row: Pick<WebhookEntity, 'settings'>, delivery: DeliveryDefaults) {
  const settings = settingsOf(row);
  return { settings, effectiveSettings: effectiveSettings(settings, delivery) };
}

function effectiveSettings(
  { timeoutMs, retryScheduleSeconds, concurrency, ratePerSecond }: WebhookSettings,
  delivery: DeliveryDefaults,
): EffectiveSettings {
  return {
    timeoutMs: timeoutMs ?? delivery.timeoutMs,
    retryScheduleSeconds: retryScheduleSeconds ?? delivery.retryScheduleMs.map((pause) => pause / 1000),
    concurrency: concurrency ?? delivery.webhookConcurrency,
    ratePerSecond,
  };
}
