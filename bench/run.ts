import { fileURLToPath } from 'node:url';
import { accept } from './scenarios/accept.js';
import { bare } from './scenarios/bare.js';
import { burst } from './scenarios/burst.js';
import { cost } from './scenarios/cost.js';
import { costCounts } from './scenarios/cost-counts.js';
import { drain } from './scenarios/drain.js';
import { emit, latency } from './scenarios/emit.js';
import { filters } from './scenarios/filters.js';
import { history } from './scenarios/history.js';
import { hostileFilters } from './scenarios/hostile-filters.js';
import { isolation } from './scenarios/isolation.js';
import { acceptBacklog, drainHistory, memory } from './scenarios/large-tables.js';
import { one } from './scenarios/one.js';
import { orderedStuck, ordering } from './scenarios/ordering.js';
import { recover } from './scenarios/recover.js';
import { recoverBeside } from './scenarios/recover-beside.js';
import { resident } from './scenarios/resident.js';
import { rest } from './scenarios/rest.js';
import { retention } from './scenarios/retention.js';
import { start } from './scenarios/start.js';
import { steady } from './scenarios/steady.js';
import { usual } from './scenarios/usual.js';
import { watched } from './scenarios/watched.js';
import { cleanUp } from './support/cleanup.js';
import { mariadbVersion } from './support/database.js';
import { type Options, readOptions } from './support/options.js';
import { compared } from './support/reference.js';
import { judge, print, Samples, write } from './support/report.js';
import type { Scenario, Session } from './support/scenario.js';

const SCENARIOS: Scenario[] = [
  // Measurements that are compared run side by side, because the machine's speed changes.
  bare,
  drain,
  one,
  usual,
  accept,
  rest,
  emit,
  latency,
  drainHistory,
  acceptBacklog,
  memory,
  filters,
  hostileFilters,
  ordering,
  orderedStuck,
  watched,
  cost,
  costCounts,
  isolation,
  history,
  recover,
  recoverBeside,
  burst,
  retention,
  start,
  steady,
  resident,
];
const RESULTS = fileURLToPath(new URL('../../bench/results', import.meta.url));

interface Opened {
  scenario: Scenario;
  /** Follows the names of the figures. */
  suffix: string;
  session: Session;
}

/** @returns the exit code. */
async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  const leftOut: Record<string, string> = {};
  if (options.databases.includes('mariadb') && !(await mariadbVersion())) {
    options.databases = options.databases.filter((kind) => kind !== 'mariadb');
    leftOut.mariadb = 'it does not answer';
  }
  const wanted = await available(options, leftOut);
  const samples = new Samples();
  for (const group of new Set(wanted.map((scenario) => scenario.group))) {
    await runGroup(
      wanted.filter((scenario) => scenario.group === group),
      options,
      samples,
    );
  }
  const verdicts = judge(samples, options.databases);
  print(samples, verdicts, leftOut);
  if (options.isWhole) await write(RESULTS, options, samples, verdicts, leftOut);
  const counts = compared(samples);
  if (counts.length > 0) console.table(counts);
  return options.check && isOver(samples) ? 1 : 0;
}

async function available(options: Options, leftOut: Record<string, string>): Promise<Scenario[]> {
  const names = SCENARIOS.map(({ name }) => name);
  for (const name of options.only ?? []) {
    if (!names.includes(name)) throw new Error(`--only: "${name}" is none of ${names.join(', ')}`);
  }
  const wanted: Scenario[] = [];
  for (const scenario of SCENARIOS) {
    if (options.only && !options.only.includes(scenario.name)) continue;
    const reason = await scenario.missing?.();
    if (reason) leftOut[scenario.name] = reason;
    else wanted.push(scenario);
  }
  return wanted;
}

async function runGroup(scenarios: Scenario[], options: Options, samples: Samples): Promise<void> {
  const opened: Opened[] = [];
  for (const scenario of scenarios) {
    if (!scenario.perDatabase) {
      opened.push({ scenario, suffix: '', session: await scenario.open(options, 'sqlite') });
      continue;
    }
    for (const kind of options.databases) {
      opened.push({ scenario, suffix: `@${kind}`, session: await scenario.open(options, kind) });
    }
  }
  for (let run = 1; run <= options.runs; run++) {
    for (const { scenario, suffix, session } of opened) {
      const figures = await session.run();
      for (const [name, value] of Object.entries(figures)) samples.add(name + suffix, value);
      const shown = Object.entries(figures).map(([name, value]) => `${name} ${value.toPrecision(5)}`);
      console.log(`${run}/${options.runs} ${scenario.name}${suffix}: ${shown.join(', ')}`);
    }
    if (options.check && !isOver(samples)) break;
  }
  for (const { session } of opened) await session.end?.();
}

const isOver = (samples: Samples) => compared(samples).some(({ result }) => result === 'over');

async function end(code: number): Promise<void> {
  await cleanUp();
  process.exit(code);
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void end(130));

main().then(
  (code) => end(code),
  (error) => {
    console.error(error);
    return end(1);
  },
);
