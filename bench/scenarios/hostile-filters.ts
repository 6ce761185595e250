import { compileFilter } from '../../src/engine/filter/compile-filter.js';
import type { CompiledFilter } from '../../src/engine/filter/conditions.js';
import { RecordJudge } from '../../src/engine/filter/judge.js';
import { parseExactly, parseMarked } from '../../src/platform/json/exact-json.js';
import { MEGABYTE, RECORDS, randomFilter } from '../support/hostile.js';
import type { Figures, Scenario } from '../support/scenario.js';
import { percentile } from '../support/stats.js';

const FILTERS = 10_000;
const FILTERS_OF_A_USER = 100;
/** The shortest of several times: now and then one holds a garbage collection, or another program's turn. */
const TIMES = 3;

/** Filters that are as expensive as they may be, and records of a megabyte made for them. */
export const hostileFilters: Scenario = {
  name: 'hostile-filters',
  group: 'hostile-filters',
  perDatabase: false,
  async open({ quick }) {
    return {
      async run() {
        const figures: Figures = {};
        const records: [string, unknown][] = [];
        for (const [name, make] of Object.entries(RECORDS)) {
          const text = JSON.stringify(make());
          if (text.length < MEGABYTE / 2 || text.length > MEGABYTE)
            throw new Error(`${name}: ${text.length} bytes`);
          const [ms, data] = timed(() => parseMarked(text));
          figures[`hostile-reading-${name}`] = ms;
          records.push([name, data]);
        }
        const all: number[] = [];
        let ofRecord = 0;
        const worst = new Map<string, number>();
        for (let number = 0; number < (quick ? FILTERS / 10 : FILTERS); number++) {
          const [name, data] = records[number % records.length] as [string, unknown];
          const filter = compiled(number);
          const [ms] = timed(() => new RecordJudge(data).unmatched(filter));
          all.push(ms);
          worst.set(name, Math.max(ms, worst.get(name) ?? 0));
          // What one notification may cost: all the filters of its user.
          if (number % FILTERS_OF_A_USER === 0) {
            const filters = Array.from({ length: FILTERS_OF_A_USER }, (_, index) => compiled(number + index));
            const [together] = timed(() => {
              const judge = new RecordJudge(data);
              for (const one of filters) judge.unmatched(one);
            });
            ofRecord = Math.max(together, ofRecord);
          }
        }
        all.sort((a, b) => a - b);
        for (const [name, ms] of worst) figures[`hostile-filter-${name}`] = ms;
        figures['hostile-filter-p99'] = percentile(all, 0.99);
        figures['hostile-filter-most'] = all.at(-1) ?? 0;
        figures['hostile-record-most'] = ofRecord;
        return figures;
      },
    };
  },
};

function compiled(number: number): CompiledFilter {
  const compilation = compileFilter(parseExactly(JSON.stringify(randomFilter(number))));
  if (!compilation.ok) throw new Error(JSON.stringify(compilation.problems));
  return compilation.filter;
}

function timed<T>(work: () => T): [ms: number, result: T] {
  let least = Number.POSITIVE_INFINITY;
  let result: T;
  let left = TIMES;
  do {
    const start = performance.now();
    result = work();
    least = Math.min(least, performance.now() - start);
  } while (--left > 0);
  return [least, result];
}
