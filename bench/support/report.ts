import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { mariadbVersion } from './database.js';
import type { Options } from './options.js';
import { median } from './stats.js';

/** Samples by measure and database, such as `drain@sqlite`; `bare` and `usual` have no database. */
export class Samples {
  private readonly values = new Map<string, number[]>();

  add(key: string, value: number): void {
    this.values.set(key, [...(this.values.get(key) ?? []), value]);
  }

  /** NaN if not measured. */
  median(key: string): number {
    return median(this.values.get(key) ?? []);
  }

  /** NaN if not measured. */
  least(key: string): number {
    const values = this.values.get(key) ?? [];
    return values.length > 0 ? Math.min(...values) : Number.NaN;
  }

  /**
   * The median of the ratios of each run. Ratios are taken within a run, because the machine may be half as fast in
   * the next one. NaN if either figure was not measured.
   */
  ratio(key: string, against: string): number {
    const others = this.values.get(against) ?? [];
    return median((this.values.get(key) ?? []).map((value, run) => value / (others[run] ?? Number.NaN)));
  }

  entries(): [string, number[]][] {
    return [...this.values];
  }
}

interface Bar {
  bar: string;
  value: number;
  want: number;
  /** True if the bar is the largest value that passes, not the smallest. */
  most?: true;
}

export interface Verdict {
  bar: string;
  value: number;
  wanted: string;
  result: 'pass' | 'miss';
}

const UNITS: [pattern: RegExp, unit: string][] = [
  [/^start-/, 'ms'],
  [/steady-accepted/, 'deliveries/s'],
  [/accept|backlog/, 'notifications/s'],
  [/growth|pairs/, 'times'],
  [/retention-deleted/, 'triggers'],
  [/retention-idle/, 'triggers/s'],
  [/steady-triggers/, 'rows'],
  [/-(service|writer|replica|cpu)$/, 'µs a delivery'],
  [/-claims$/, 'in all'],
  [/-rows$/, 'triggers a claim'],
  [/-(statements|commits|messages|collections)$/, 'per 1,000 deliveries'],
  [/-allocated$/, 'KiB a delivery'],
  [/^counts-.*-speed$/, 'deliveries/s'],
  [/recover-pace/, 'deliveries/s'],
  [/memory|live|megabytes/, 'MB'],
  [/latency|isolation|burst|recover|history|stuck|hostile/, 'ms'],
  [/./, 'deliveries/s'],
];

/** The bars for the measured figures. */
export function judge(samples: Samples, databases: string[]): Verdict[] {
  const bars = databases.flatMap((db): Bar[] => {
    const of = (name: string) => samples.median(`${name}@${db}`);
    const against = (name: string, other: string) => samples.ratio(`${name}@${db}`, other);
    const within = (name: string, other: string) => against(name, `${other}@${db}`);
    return [
      {
        bar: `drain / bare, ${db}`,
        value: against('drain', 'bare'),
        want: db === 'sqlite' ? 0.4 : 0.35,
      },
      { bar: `rest / usual, ${db}`, value: against('rest', 'usual'), want: 5 },
      {
        bar: `accept with filters / without, ${db}`,
        value: within('filters-accept', 'filters-accept-none'),
        want: 0.8,
      },
      { bar: `ordered / unordered, ${db}`, value: within('ordering', 'ordering-none'), want: 0.6 },
      {
        bar: `p99 beside a stuck record / without, ${db}`,
        value: within('stuck-record', 'stuck-none'),
        want: 1.2,
        most: true,
      },
      { bar: `emit / usual, ${db}`, value: against('emit', 'usual'), want: 6 },
      {
        bar: `drain with history / without, ${db}`,
        value: within('history-large', 'history-none'),
        want: 0.9,
      },
      {
        bar: `drain while deleting / while keeping, ${db}`,
        value: within('retention-drain', 'retention-none'),
        want: 0.9,
      },
      ...['triggers', 'database', 'memory'].map((what) => ({
        bar: `growth of ${what} in the steady state, ${db}`,
        value: of(`steady-${what}-growth`),
        want: 1.1,
        most: true as const,
      })),
      {
        bar: `accept with backlog / without, ${db}`,
        value: within('backlog-large', 'backlog-none'),
        want: 0.9,
      },
      { bar: `memory over idle, MB, ${db}`, value: of('memory'), want: 100, most: true },
      { bar: `latency p50, ms, ${db}`, value: of('latency-p50'), want: 5, most: true },
      { bar: `latency p99, ms, ${db}`, value: of('latency-p99'), want: 30, most: true },
      {
        bar: `isolation p99 with a hanging one / without, ${db}`,
        value: within('isolation-hang', 'isolation-none'),
        want: 1.2,
        most: true,
      },
      {
        bar: `the slowest list of notifications, ms, ${db}`,
        value: of('history-list'),
        want: 20,
        most: true,
      },
      { bar: `erasing 10,000 notifications, ms, ${db}`, value: of('history-erase'), want: 5000, most: true },
      { bar: `a recovery's first delivery, ms, ${db}`, value: of('recover-first'), want: 2000, most: true },
      { bar: `a recovery stops, ms, ${db}`, value: of('recover-stop'), want: 1000, most: true },
      { bar: `a recovery's memory, MB, ${db}`, value: of('recover-memory'), want: 50, most: true },
      {
        bar: `p99 beside a recovery / without, ${db}`,
        value: within('recover-beside-p99', 'recover-none-p99'),
        want: 1.2,
        most: true,
      },
      {
        bar: `the same, median of pairs, ${db}`,
        value: of('recover-beside-pairs'),
        want: 1.2,
        most: true,
      },
      {
        bar: `a burst holds up the host, ms at a time, ${db}`,
        value: of('burst-longest'),
        want: 20,
        most: true,
      },
      {
        bar: `the host's own p99 in a burst / before, ${db}`,
        value: within('burst-ping', 'burst-ping-quiet'),
        want: 1.5,
        most: true,
      },
    ];
  });
  bars.push({
    bar: 'a hostile filter, ms',
    value: samples.median('hostile-filter-most'),
    want: 5,
    most: true,
  });
  return bars
    .filter(({ value }) => !Number.isNaN(value))
    .map(({ bar, value, want, most }) => ({
      bar,
      value: round(value),
      wanted: `${most ? '<=' : '>='} ${want}`,
      result: (most ? value <= want : value >= want) ? 'pass' : 'miss',
    }));
}

export function print(samples: Samples, verdicts: Verdict[], leftOut: Record<string, string>): void {
  console.table(
    samples.entries().map(([key, values]) => {
      const [measure = '', database = '-'] = key.split('@');
      return {
        measure,
        database,
        median: round(median(values)),
        least: round(Math.min(...values)),
        most: round(Math.max(...values)),
        unit: unitOf(measure),
        runs: values.length,
      };
    }),
  );
  if (verdicts.length > 0) console.table(verdicts);
  for (const [name, reason] of Object.entries(leftOut)) console.log(`${name} was left out: ${reason}.`);
}

export async function write(
  folder: string,
  options: Options,
  samples: Samples,
  verdicts: Verdict[],
  leftOut: Record<string, string>,
): Promise<void> {
  const results = {
    measured_at: new Date().toISOString(),
    machine: {
      cpus: cpus().length,
      model: cpus()[0]?.model,
      memory_gb: Math.round(totalmem() / 2 ** 30),
      node: process.version,
      mariadb: await mariadbVersion(),
    },
    options: { runs: options.runs, deliveries: options.deliveries, rows: options.rows, quick: options.quick },
    measures: Object.fromEntries(
      samples
        .entries()
        .map(([key, values]) => [
          key,
          { median: round(median(values)), unit: unitOf(key), samples: values.map(round).join(' ') },
        ]),
    ),
    bars: Object.fromEntries(verdicts.map(({ bar, ...verdict }) => [bar, verdict])),
    left_out: leftOut,
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'latest.json'), `${JSON.stringify(results, null, 2)}\n`);
}

const unitOf = (measure: string) => UNITS.find(([pattern]) => pattern.test(measure))?.[1] ?? '';

const round = (value: number) => Number(value.toPrecision(value < 10 ? 3 : value < 1000 ? 4 : 6));
