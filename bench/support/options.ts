import { parseArgs } from 'node:util';
import { DATABASE_KINDS, type DatabaseKind } from './database.js';

const HELP = `Usage: npm run bench -- [options]

  --runs N             repetitions of each measurement (default 5)
  --quick              a fast look: fewer deliveries, smaller backlogs and histories
  --only a,b           these measurements only: bare, usual, drain, accept, rest, emit, latency,
                       drain-history, accept-backlog, memory, isolation, history, recover,
                       recover-beside, burst, retention, start, steady, resident,
                       filters, hostile-filters, ordering, ordered-stuck, watched, cost,
                       cost-counts
  --databases a,b      sqlite, mariadb (default: both)
  --deliveries N       deliveries of one measurement (default 40000, quick 10000, profile 60000)
  --rows N             triggers in a large table (default 1000000, quick 100000)
  --minutes N          how long steady and resident take (default 10, quick 2)
  --retention N        the retention of steady and resident in seconds (default 120, quick 20)
  --per-second N       the notifications a second of resident (default 500)
  --check              exit with 1 if the least of a count is over what bench/reference.json accepts; runs end
                       as soon as none is
  --profile            run the service of drain, rest and emit under --cpu-prof and print where the time went
  --help               show this

Results are written to bench/results/latest.json when nothing was deselected.
`;

export interface Options {
  runs: number;
  quick: boolean;
  profile: boolean;
  check: boolean;
  only: string[] | null;
  databases: DatabaseKind[];
  /** True when nothing was deselected; only then are the results kept. */
  isWhole: boolean;
  /** Deliveries of one measurement: ten per notification. */
  deliveries: number;
  /** Triggers in a large table. */
  rows: number;
  /** Of the steady state. */
  minutes: number;
  retentionSeconds: number;
  /** Notifications, of the load that resident keeps up. */
  perSecond: number;
}

export function readOptions(args: string[]): Options {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const { values } = parseArgs({
    args,
    options: {
      runs: text,
      quick: flag,
      only: text,
      databases: text,
      deliveries: text,
      rows: text,
      minutes: text,
      retention: text,
      'per-second': text,
      profile: flag,
      check: flag,
      help: flag,
    },
  });
  if (values.help) {
    console.log(HELP);
    process.exit(0);
  }
  const { quick = false, profile = false, check = false } = values;
  // A profile includes the startup, which should be a small part of it.
  const deliveries = profile ? 60_000 : quick ? 10_000 : 40_000;
  const databases = split(values.databases) ?? [...DATABASE_KINDS];
  return {
    runs: profile ? 1 : whole('runs', values.runs, 5),
    quick,
    profile,
    check,
    only: split(values.only),
    databases: databases.map((name) => {
      const kind = DATABASE_KINDS.find((known) => known === name);
      if (!kind) throw new Error(`--databases: "${name}" is none of ${DATABASE_KINDS.join(', ')}`);
      return kind;
    }),
    isWhole: !profile && !values.only && !values.databases,
    deliveries: tens(whole('deliveries', values.deliveries, deliveries)),
    minutes: whole('minutes', values.minutes, quick ? 2 : 10),
    retentionSeconds: whole('retention', values.retention, quick ? 20 : 120),
    perSecond: whole('per-second', values['per-second'], 500),
    rows: tens(whole('rows', values.rows, quick ? 100_000 : 1_000_000)),
  };
}

const split = (value: string | undefined) => value?.split(',').map((entry) => entry.trim()) ?? null;

/** Every notification makes ten deliveries. */
const tens = (count: number) => Math.ceil(count / 10) * 10;

function whole(name: string, value: string | undefined, fallback: number): number {
  if (value === undefined) return fallback;
  if (!/^[1-9]\d*$/.test(value)) throw new Error(`--${name} must be a whole number from 1, not "${value}"`);
  return Number(value);
}
