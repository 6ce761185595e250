import type { StatisticStep } from '../../store/tables/statistic.entity.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export const STEP_MS: Record<StatisticStep, number> = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS };
/** For how many days the counts of a step are kept. */
export const KEPT_DAYS: Record<StatisticStep, number> = { minute: 2, hour: 35, day: 400 };
/** Counts are deleted this many steps late: clocks differ, and a call takes a moment. */
const SPARE_STEPS = 2;

/** When the step begins that this time lies in. */
export const stepAt = (step: StatisticStep, time: number) => Math.floor(time / STEP_MS[step]) * STEP_MS[step];

/** The first step that can be asked for. */
export const firstKept = (step: StatisticStep, now: number) =>
  stepAt(step, now - KEPT_DAYS[step] * DAY_MS) - STEP_MS[step];

/** Counts of steps before this one are deleted. */
export const firstStored = (step: StatisticStep, now: number) =>
  firstKept(step, now) - SPARE_STEPS * STEP_MS[step];

/** Some steps in a row: from the one that begins at `begin` to the one before `end`. Epoch milliseconds. */
export interface Span {
  step: StatisticStep;
  begin: number;
  end: number;
}

/** The steps from the one that `since` lies in to the one that `until` lies in. */
export const spanOf = (step: StatisticStep, since: number, until: number): Span => ({
  step,
  begin: stepAt(step, since),
  end: stepAt(step, until) + STEP_MS[step],
});

export const stepsIn = ({ step, begin, end }: Span) => (end - begin) / STEP_MS[step];
