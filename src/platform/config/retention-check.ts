import type { SettingKey } from './environment-variable.js';
import { PAYLOAD_DAYS, type Settings } from './settings.js';

export const DAY_MS = 86_400_000;
/** Pauses are spread by ±20 %. */
const LONGEST_PAUSE = 1.2;

/** A setting that makes no sense beside the others. */
interface RetentionProblem {
  key: SettingKey;
  /** Completes the sentence "this setting …". */
  message: string;
}

/**
 * What is wrong with the retention. The time that the attempts themselves take is left out: nothing is removed before it is
 * finished, so this is about settings that were not meant, not about safety.
 */
export function retentionProblems({ retention, delivery }: Pick<Settings, 'retention' | 'delivery'>) {
  const { payloadDays, days } = retention;
  const scheduleMs = longestMs(delivery.retryScheduleMs);
  const needed = Math.ceil((scheduleMs / DAY_MS) * 1e5) / 1e5;
  const problems: RetentionProblem[] = [];
  const given: [SettingKey, number][] = [
    ['retention.payloadDays', payloadDays],
    ['retention.days', days],
  ];
  for (const [key, value] of given) {
    if (value === 0 || value * DAY_MS >= scheduleMs) continue;
    problems.push({
      key,
      message: `is ${value} days, shorter than the retry schedule: the last attempt may come ${needed} days after the first; set it to at least ${needed} (0 keeps for ever), or shorten the schedule`,
    });
  }
  // The default stands for "with the rows" where those are kept for less.
  if (days > 0 && payloadDays > days && payloadDays !== PAYLOAD_DAYS) {
    problems.push({
      key: 'retention.payloadDays',
      message: `is ${payloadDays} days, longer than the ${days} days for which rows are kept, and a body goes with its row; set it to at most ${days}, or to 0 to keep bodies as long as rows`,
    });
  }
  return problems;
}

/**
 * What is wrong with a webhook's own schedule beside the retention; null if nothing is.
 *
 * @param seconds the pauses.
 */
export function faultOfSchedule(
  seconds: number[],
  { payloadDays, days }: Settings['retention'],
): string | null {
  const kept = Math.min(...[payloadDays, days].filter((one) => one > 0), Number.POSITIVE_INFINITY);
  if (longestMs(seconds.map((pause) => pause * 1000)) <= kept * DAY_MS) return null;
  return `must not be longer than the ${kept} days for which notifications are kept, also with each pause 20 % longer`;
}

const longestMs = (pausesMs: number[]) => LONGEST_PAUSE * pausesMs.reduce((sum, pause) => sum + pause, 0);
