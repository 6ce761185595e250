import { useSignal } from '@preact/signals';
import { count } from '../text/format.js';
import { Scroller } from '../text/scroller.js';
import { Plot, said } from './plot.js';
import type { ChartSeries } from './shapes.js';
import { stepName, stepOf } from './ticks.js';

interface ChartProps {
  title: string;
  /** Begins of the steps, in epoch milliseconds. */
  times: readonly number[];
  series: readonly ChartSeries[];
  /** Puts the series on top of each other, the first one highest. */
  stacked?: boolean;
  format?: (value: number) => string;
}

/** A chart over time, and the same as a table. The legend says the values of the step that is pointed at. */
export function Chart({ title, times, series, stacked = false, format = count }: ChartProps) {
  const picked = useSignal<number | null>(null);
  const isTable = useSignal(false);
  const at = picked.value;
  const ms = at === null ? undefined : times[at];
  return (
    <figure class="chart">
      <figcaption>
        <h3>{title}</h3>
        <span class="chart-time">{ms !== undefined && stepName(ms, stepOf(times))}</span>
        <ul class="legend-list">
          {series.map(({ label, tone, values }) => (
            <li key={label}>
              <span class={`swatch ${tone}`} />
              {label}
              <b>{at !== null && ms !== undefined && said(values[at], format)}</b>
            </li>
          ))}
        </ul>
      </figcaption>
      <Plot
        title={title}
        times={times}
        series={series}
        stacked={stacked}
        format={format}
        at={at}
        onPick={(index) => (picked.value = index)}
      />
      <details class="more" onToggle={(event) => (isTable.value = event.currentTarget.open)}>
        <summary>
          As a table<span class="hidden">: {title}</span>
        </summary>
        {isTable.value && <ChartTable title={title} times={times} series={series} format={format} />}
      </details>
    </figure>
  );
}

/** Newest first. Steps in which nothing happened are left out. */
function ChartTable({ title, times, series, format = count }: ChartProps) {
  const steps = times
    .map((_, index) => index)
    .filter((index) => series.some(({ values }) => values[index]))
    .reverse();
  if (steps.length === 0) return <p class="muted">Nothing happened in this time.</p>;
  return (
    <Scroller class="table-box chart-table" label={`${title}, as a table`}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Time</th>
            {series.map(({ label }) => (
              <th key={label} scope="col" class="number">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {steps.map((index) => (
            <tr key={index}>
              <td class="nowrap">{stepName(times[index] ?? 0, stepOf(times))}</td>
              {series.map(({ label, values }) => (
                <td key={label} class="number">
                  {said(values[index], format)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}
