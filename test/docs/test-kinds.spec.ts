import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const OTHER_KINDS = /^test\/(?:system|torture|cluster)\//;

const below = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`);
/** The files of `npm test`. This one quotes what it forbids. */
const specs = [...below('src'), ...below('test')].filter(
  (file) => file.endsWith('.spec.ts') && !OTHER_KINDS.test(file) && file !== 'test/docs/test-kinds.spec.ts',
);

const modulesOf = (text: string) =>
  [...text.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name]) => name as string);

/** The file that a relative import names, if it is one of the tests' own. */
function ownFile(from: string, name: string): string | null {
  if (!name.startsWith('.')) return null;
  const file = normalize(join(dirname(from), name)).replace(/\.js$/, '.ts');
  return file.startsWith('test/') && existsSync(join(ROOT, file)) ? file : null;
}

/** A spec, and every file of the tests that it loads. */
function loadedBy(spec: string): Set<string> {
  const loaded = new Set([spec]);
  for (const file of loaded)
    for (const name of modulesOf(read(file))) {
      const own = ownFile(file, name);
      if (own) loaded.add(own);
    }
  return loaded;
}

/** What starts processes, browsers or clients of a broker. */
const FOREIGN = /^(?:(?:node:)?(?:child_process|cluster)|puppeteer.*|amqplib.*|.*\/dist\/.*)$/;

/** What makes a result depend on how busy the machine is. */
const CLOCKS: [string, RegExp][] = [
  ['measures time', /\bperformance\.now\(|\bhrtime\b|\b[cC]puUsage\(|\bcpuMs\(|\blongestBlock\(/],
  ['sleeps', /\bset(?:Timeout|Interval)\b/],
  ['waits for a time to come', /until\(\s*(?:async )?\(\) =>[^,;]*\b(?:Date|performance)\.now\(\)/],
  ['bounds a time', /Date\.now\(\) - \w+\)\.toBeLess|duration_ms\)\.toBeLess/],
];

/** Those whose subject is time. Each says why its result is the same on a busy machine. */
const ABOUT_TIME: Record<string, string> = {
  'src/platform/slices.spec.ts': 'computes for a millisecond, so that there is something to slice',
  'test/host/host-transactions.spec.ts': "hands the machine's clock to a host",
};

describe('a test of `npm test`', () => {
  it('loads nothing that starts a process, a browser or a client of a broker, nor the tests that do', () => {
    expect(specs.length).toBeGreaterThan(150);
    const found = specs.flatMap((spec) =>
      [...loadedBy(spec)].flatMap((file) => [
        ...(OTHER_KINDS.test(file) ? [`${spec} loads ${file}`] : []),
        ...modulesOf(read(file))
          .filter((name) => FOREIGN.test(name))
          .map((name) => `${spec} loads ${name} by ${file}`),
      ]),
    );
    expect(found).toEqual([]);
  });

  it.each(CLOCKS)('never %s', (_what, pattern) => {
    const found = specs.filter((spec) => !(spec in ABOUT_TIME) && pattern.test(read(spec)));
    expect(found).toEqual([]);
  });

  it('is about time only where that is still so', () => {
    const isStill = (spec: string) => CLOCKS.some(([, pattern]) => pattern.test(read(spec)));
    expect(Object.keys(ABOUT_TIME).filter((spec) => !isStill(spec))).toEqual([]);
  });
});
