import { count } from '../text/format.js';

interface Step {
  readonly succeeded: number;
  readonly failed: number;
}

const WIDTH = 96;
const HEIGHT = 24;
/** So that a single failure among thousands is seen. */
const LEAST = 2;

/** How many attempts succeeded and failed, step by step. What it shows is said in words, too. */
export function Sparkline({ steps, label }: { steps: readonly Step[]; label: string }) {
  const most = Math.max(1, ...steps.map(({ succeeded, failed }) => succeeded + failed));
  const width = WIDTH / Math.max(1, steps.length);
  const height = (value: number) => (value === 0 ? 0 : Math.max(LEAST, (value / most) * (HEIGHT - LEAST)));
  const sum = (which: keyof Step) => steps.reduce((total, step) => total + step[which], 0);
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}: ${count(sum('succeeded'))} succeeded, ${count(sum('failed'))} failed`}
    >
      {steps.map(({ succeeded, failed }, index) => {
        const x = index * width;
        const bad = height(failed);
        const good = Math.min(height(succeeded), HEIGHT - bad);
        return (
          <g key={index}>
            {succeeded + failed === 0 && (
              <rect class="floor" x={x} y={HEIGHT - 1} width={width - 1} height={1} />
            )}
            <rect class="ok" x={x} y={HEIGHT - good} width={width - 1} height={good} />
            <rect class="ko" x={x} y={HEIGHT - good - bad} width={width - 1} height={bad} />
          </g>
        );
      })}
    </svg>
  );
}
