import type { WebhookDto } from '../../src/client/index.js';
import { span } from '../parts/text/format.js';
import { parseSchedule } from './schedule.js';

/** A webhook's own settings as they are typed; empty is what the service does for all. */
export interface TypedSettings {
  schedule: string;
  /** Seconds. */
  timeout: string;
  concurrency: string;
  rate: string;
  isOrdered: boolean;
  isCoalesced: boolean;
  comesBack: boolean;
}

export const NO_SETTINGS: TypedSettings = {
  schedule: '',
  timeout: '',
  concurrency: '',
  rate: '',
  isOrdered: false,
  isCoalesced: false,
  comesBack: false,
};

export const typedSettings = ({ settings }: Pick<WebhookDto, 'settings'>): TypedSettings => ({
  schedule: settings.retry_schedule_seconds?.map(exactSpan).join(', ') ?? '',
  timeout: settings.timeout_ms === null ? '' : `${settings.timeout_ms / 1000}`,
  concurrency: `${settings.concurrency ?? ''}`,
  rate: `${settings.rate_per_second ?? ''}`,
  isOrdered: settings.ordering === 'record',
  isCoalesced: settings.coalesce === true,
  comesBack: settings.auto_recover === true,
});

/** What the API takes. What is no number goes as it is: the service says what is wrong with it. */
export const settingsOf = (typed: TypedSettings) => ({
  retry_schedule_seconds: scheduleOf(typed.schedule),
  timeout_ms: numberOf(typed.timeout, 1000),
  concurrency: numberOf(typed.concurrency),
  rate_per_second: numberOf(typed.rate),
  ordering: typed.isOrdered ? 'record' : null,
  coalesce: typed.isCoalesced || null,
  auto_recover: typed.comesBack || null,
});

export function numberOf(text: string, factor = 1): number | string | null {
  if (text.trim() === '') return null;
  const value = Number(text) * factor;
  return Number.isNaN(value) ? text : value;
}

const scheduleOf = (text: string): number[] | string | null =>
  text.trim() === '' ? null : (parseSchedule(text) ?? text);

/** As it may be typed again; what two units do not say exactly stays in seconds. */
function exactSpan(seconds: number): string {
  const text = span(seconds);
  return parseSchedule(text)?.[0] === seconds ? text : `${seconds} s`;
}
