import type { WebhookStatisticsStepDto } from 'webhook-notification-service-client';
import { Chart } from '../parts/chart/chart.js';
import { milliseconds } from '../parts/text/format.js';

type Steps = readonly WebhookStatisticsStepDto[];

const timesOf = (steps: Steps): number[] => steps.map(({ begin }) => Date.parse(begin));

/** Attempts that succeeded and failed. @param waiting how many deliveries of each step are still due, if that is known. */
export const AttemptsChart = ({ steps, waiting }: { steps: Steps; waiting?: readonly number[] }) => (
  <Chart
    title="Attempts"
    times={timesOf(steps)}
    stacked
    series={[
      ...(waiting ? [{ label: 'Waiting', tone: 'wait', kind: 'bars', values: waiting } as const] : []),
      { label: 'Failed', tone: 'bad', kind: 'bars', values: steps.map(({ failed }) => failed) },
      { label: 'Succeeded', tone: 'good', kind: 'bars', values: steps.map(({ succeeded }) => succeeded) },
    ]}
  />
);

/** How long attempts took. */
export const LatencyChart = ({ steps }: { steps: Steps }) => (
  <Chart
    title="Time until the answer"
    times={timesOf(steps)}
    format={milliseconds}
    series={[
      { label: 'p99', tone: 'muted', values: steps.map(({ p99_ms }) => p99_ms) },
      { label: 'p95', tone: 'warn', values: steps.map(({ p95_ms }) => p95_ms) },
      { label: 'p50', tone: 'accent', values: steps.map(({ p50_ms }) => p50_ms) },
    ]}
  />
);

const CLASSES = [
  ['No answer', 'muted', /^[^\d]/],
  ['5xx', 'bad', /^5/],
  ['4xx', 'warn', /^4/],
  ['1xx, 3xx', 'accent', /^[13]/],
  ['2xx', 'good', /^2/],
] as const;

/** What was answered. Classes that did not occur are left out. */
export function CodesChart({ steps }: { steps: Steps }) {
  const series = CLASSES.map(([label, tone, pattern]) => ({
    label,
    tone,
    kind: 'bars' as const,
    values: steps.map(({ by_code }) =>
      Object.entries(by_code).reduce((sum, [code, times]) => sum + (pattern.test(code) ? times : 0), 0),
    ),
  }));
  const occurred = series.filter(({ label, values }) => label === '2xx' || values.some((value) => value > 0));
  return <Chart title="Answers" times={timesOf(steps)} stacked series={occurred} />;
}
