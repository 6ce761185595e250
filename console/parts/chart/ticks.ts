const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Round numbers from 0 on, of which the last is no less than `max`; whole ones, as everything shown is counted. */
export function valueTicks(max: number, most: number): number[] {
  const rough = Math.max(max, 1) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, (([1, 2, 5].find((part) => part * power >= rough) ?? 10) as number) * power);
  return Array.from({ length: Math.ceil(Math.max(max, 1) / step) + 1 }, (_, index) => index * step);
}

/** Steps between times that people count in; past a day, whole days. */
const TIME_STEPS_MS = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 7, 14, 30, 90].map((days) => days * DAY_MS),
];

export interface TimeTick {
  ms: number;
  text: string;
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
/** Steps of a day begin in UTC: elsewhere their beginning may lie in another day. */
const utcDay = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** How long each step is. */
export const stepOf = (times: readonly number[]): number =>
  (times[1] ?? Number.NaN) - (times[0] ?? 0) || HOUR_MS;

/** Whole local times in the span of the steps, and the date at midnight. Of steps of a day, their dates. */
export function timeTicks(times: readonly number[], most: number): TimeTick[] {
  const [first = 0] = times;
  const stepMs = stepOf(times);
  const end = first + times.length * stepMs;
  const wanted = Math.max(stepMs, (end - first) / Math.max(1, most));
  const gapMs = TIME_STEPS_MS.find((gap) => gap >= wanted) ?? (TIME_STEPS_MS.at(-1) as number);
  if (stepMs >= DAY_MS) {
    const every = Math.round(gapMs / DAY_MS);
    return times.filter((_, index) => index % every === 0).map((ms) => ({ ms, text: utcDay.format(ms) }));
  }
  const ticks: TimeTick[] = [];
  for (let at = wholeBefore(first, gapMs); at.getTime() < end; at = after(at, gapMs)) {
    const ms = at.getTime();
    const isMidnight = at.getHours() + at.getMinutes() === 0;
    if (ms >= first) ticks.push({ ms, text: isMidnight ? day.format(at) : clock.format(at) });
  }
  return ticks;
}

function wholeBefore(ms: number, gapMs: number): Date {
  const at = new Date(ms);
  at.setHours(gapMs < HOUR_MS ? at.getHours() : 0, 0, 0, 0);
  return at;
}

/** Days and hours are counted by the local clock, which is put forward and back. */
function after(at: Date, gapMs: number): Date {
  if (gapMs < HOUR_MS) return new Date(at.getTime() + gapMs);
  const next = new Date(at);
  next.setHours(at.getHours() + gapMs / HOUR_MS);
  return next.getTime() > at.getTime() ? next : new Date(at.getTime() + gapMs);
}

const minute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const wholeDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

/** Which step it is, in words. */
export const stepName = (ms: number, stepMs: number): string =>
  stepMs >= DAY_MS ? `${wholeDay.format(ms)} (UTC)` : minute.format(ms);
