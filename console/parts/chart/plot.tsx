import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { areaPath, barsPath, type ChartSeries, linePath, reaches } from './shapes.js';
import { stepName, stepOf, timeTicks, valueTicks } from './ticks.js';

const HEIGHT = 200;
const LEFT = 52;
const RIGHT = 10;
const TOP = 8;
const BOTTOM = 24;
/** Pixels that a label needs. */
const TIME_ROOM = 76;
const VALUE_ROOM = 40;
/** Before its place in the page has been measured. */
const FIRST_WIDTH = 600;

/**
 * The picture of a chart. The pointer, or the arrows once it has the focus, pick a step; a screen reader hears its values,
 * as those of a slider.
 */
export function Plot({
  title,
  times,
  series,
  stacked,
  format,
  at,
  onPick,
}: {
  title: string;
  times: readonly number[];
  series: readonly ChartSeries[];
  stacked: boolean;
  format: (value: number) => string;
  /** The step that is picked; null for none. */
  at: number | null;
  onPick: (index: number | null) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const measured = useSignal(FIRST_WIDTH);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      measured.value = Math.max(LEFT + RIGHT + 1, Math.round(entry?.contentRect.width ?? FIRST_WIDTH));
    });
    observer.observe(box.current as Element);
    return () => observer.disconnect();
  }, []);

  const width = measured.value;
  const inner = width - LEFT - RIGHT;
  const last = times.length - 1;
  const slot = inner / Math.max(1, times.length);
  const reach = reaches(
    series.map(({ values }) => values),
    stacked,
  );
  const highest = Math.max(0, ...reach.flat().map((one) => one?.[1] ?? 0));
  const values = valueTicks(highest, Math.floor((HEIGHT - TOP - BOTTOM) / VALUE_ROOM));
  const top = values.at(-1) as number;
  const x = (index: number) => LEFT + (index + 0.5) * slot;
  const y = (value: number) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM);
  const xOf = (ms: number) => LEFT + ((ms - (times[0] ?? 0)) / stepOf(times)) * slot;

  const under = ({ clientX }: MouseEvent) => {
    const from = (box.current as Element).getBoundingClientRect().left + LEFT;
    return Math.max(0, Math.min(last, Math.floor((clientX - from) / slot)));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const now = at ?? last;
    const next = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    onPick(Math.max(0, Math.min(last, next)));
  };
  const shown = at ?? last;
  return (
    <div
      ref={box}
      class="chart-area"
      role="slider"
      tabIndex={0}
      aria-label={title}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, last)}
      aria-valuenow={Math.max(0, shown)}
      aria-valuetext={textOf(times, series, shown, format)}
      onPointerMove={(event) => onPick(under(event))}
      onPointerLeave={() => onPick(null)}
      onKeyDown={onKeyDown}
      onFocus={(event) => event.currentTarget.matches(':focus-visible') && onPick(last)}
      onBlur={() => onPick(null)}
    >
      <svg width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} aria-hidden="true">
        {values.map((value) => (
          <g key={value}>
            <line
              class="grid"
              x1={LEFT}
              x2={width - RIGHT}
              y1={Math.round(y(value)) + 0.5}
              y2={Math.round(y(value)) + 0.5}
            />
            <text x={LEFT - 8} y={y(value) + 4} text-anchor="end">
              {format(value)}
            </text>
          </g>
        ))}
        {timeTicks(times, Math.floor(inner / TIME_ROOM)).map(({ ms, text }) => (
          <text key={ms} x={xOf(ms)} y={HEIGHT - 6} text-anchor={anchor(xOf(ms), width)}>
            {text}
          </text>
        ))}
        {at !== null && times[at] !== undefined && (
          <rect class="picked" x={x(at) - slot / 2} y={TOP} width={slot} height={HEIGHT - TOP - BOTTOM} />
        )}
        {series.map(({ label, tone, kind = 'line' }, index) => {
          const one = reach[index] ?? [];
          const picked = at === null ? null : one[at];
          return (
            <g key={label} class={tone}>
              {kind === 'bars' && <path class="fill" d={barsPath(one, x, y, slot)} />}
              {kind === 'area' && <path class="soft" d={areaPath(one, x, y)} />}
              {kind !== 'bars' && <path class="line" d={linePath(one, x, y)} />}
              {kind !== 'bars' && at !== null && picked && (
                <circle class="dot" cx={x(at)} cy={y(picked[1])} r={3.5} />
              )}
            </g>
          );
        })}
      </svg>
    </div>
  );
}

/** A label at the edge stays inside. */
const anchor = (x: number, width: number): 'start' | 'middle' | 'end' => {
  if (x < LEFT + TIME_ROOM / 4) return 'start';
  return x > width - TIME_ROOM / 3 ? 'end' : 'middle';
};

function textOf(
  times: readonly number[],
  series: readonly ChartSeries[],
  index: number,
  format: (value: number) => string,
): string {
  const ms = times[index];
  if (ms === undefined) return 'Nothing';
  const values = series.map(({ label, values }) => `${label} ${said(values[index], format)}`);
  return [stepName(ms, stepOf(times)), ...values].join(', ');
}

export const said = (value: number | null | undefined, format: (value: number) => string): string =>
  value === null || value === undefined ? '–' : format(value);
