import type { Child } from '../support/child.js';
import { Recovered } from '../support/recovered.js';
import type { Scenario } from '../support/scenario.js';
import { median, percentile } from '../support/stats.js';

/** The pace of a recovery that says nothing about it. */
const PER_SECOND = 10;
/**
 * How long the others are served before each window, so that both sorts begin alike: warm, and with nothing under way of
 * a recovery that was stopped.
 */
const RUN_IN_SECONDS = 3;

/**
 * What others notice of a recovery. One process takes windows with it and without it in turn, as the machine's speed
 * changes; which window of a pair comes first is random, so that what grows meanwhile falls on both.
 */
export const recoverBeside: Scenario = {
  name: 'recover-beside',
  group: 'recover-beside',
  perDatabase: true,
  async open({ rows, quick }, kind) {
    const pairs = quick ? 3 : 10;
    const seconds = quick ? 5 : 15;
    const recovered = await Recovered.open(kind, rows);
    return {
      async run() {
        const emitter = await recovered.start();
        const without = () => windowWithout(recovered, emitter, seconds);
        const beside = () => windowBeside(recovered, emitter, seconds);
        await beside();
        await without();
        const all = { none: [] as number[], beside: [] as number[] };
        const ratios: number[] = [];
        for (let pair = 1; pair <= pairs; pair++) {
          const besideFirst = Math.random() < 0.5;
          const early = besideFirst ? await beside() : null;
          const none = await without();
          const besides = early ?? (await beside());
          all.none.push(...none);
          all.beside.push(...besides);
          const [p99None, p99Beside] = [p99(none), p99(besides)];
          ratios.push(p99Beside / p99None);
          const order = besideFirst ? 'beside first' : 'without first';
          console.log(`  p99 without ${p99None.toFixed(2)}, beside ${p99Beside.toFixed(2)} (${order})`);
        }
        await emitter.stop();
        return {
          ...percentiles('recover-none', all.none),
          ...percentiles('recover-beside', all.beside),
          'recover-beside-pairs': median(ratios),
        };
      },
      end: () => recovered.scene.close(),
    };
  },
};

async function windowWithout(recovered: Recovered, emitter: Child, seconds: number): Promise<number[]> {
  await recovered.deliverOthers(emitter, RUN_IN_SECONDS);
  return recovered.deliverOthers(emitter, seconds);
}

async function windowBeside(recovered: Recovered, emitter: Child, seconds: number): Promise<number[]> {
  const { id } = await recovered.recover(emitter, PER_SECOND);
  await recovered.deliverOthers(emitter, RUN_IN_SECONDS);
  const latencies = await recovered.deliverOthers(emitter, seconds);
  const { total } = await recovered.arrived();
  await emitter.call('stopRecovery', { id });
  if (total < (PER_SECOND * seconds) / 2) {
    throw new Error(`DOES NOT CHECK OUT: the recovery made ${total} deliveries in ${seconds} seconds`);
  }
  return latencies;
}

const sorted = (values: number[]) => values.toSorted((a, b) => a - b);

const p99 = (values: number[]) => percentile(sorted(values), 0.99);

function percentiles(name: string, values: number[]): Record<string, number> {
  const ascending = sorted(values);
  return {
    [`${name}-p50`]: percentile(ascending, 0.5),
    [`${name}-p95`]: percentile(ascending, 0.95),
    [`${name}-p99`]: percentile(ascending, 0.99),
  };
}
