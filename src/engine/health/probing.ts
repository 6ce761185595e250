import type { EffectiveSettings } from '../webhook/webhook-settings.js';

/** The longest pause between two probes. */
export const LONGEST_PROBE_PAUSE_MS = 3_600_000;
/** In place of a first pause of none. */
const SHORTEST_MS = 1000;

/** The pause before the next probe of a webhook: the first one of its schedule, then twice as long each time, up to an hour. */
export function probePauseMs(
  probes: number,
  { retryScheduleSeconds: [first = 0] }: EffectiveSettings,
): number {
  // Long before the thirtieth power the pause is the longest one; the bound keeps the number finite.
  const pause = (first * 1000 || SHORTEST_MS) * 2 ** Math.min(probes, 30);
  return Math.min(Math.round(pause), LONGEST_PROBE_PAUSE_MS);
}
