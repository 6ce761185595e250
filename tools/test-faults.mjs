// Proves that the tests notice what they are for: plants the faults of faults.json, one at a time, in a copy of the
// last commit, and runs the specs of `npm test` that should notice. If they do not, it runs all.
//
//   npm run test:faults                     all of them
//   npm run test:faults -- lease signature  those whose names contain one of these words
//
// Each fault ends in a line; fails if one is not noticed.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import CONFIG from '../jest.config.mjs';
import { refuse } from './support/command-line.mjs';
import { root } from './support/commands.mjs';
import { temporaryFolder } from './support/ending.mjs';
import { runJest } from './support/run-jest.mjs';

/** `name` says what does not hold any more; `find` is once in `file`; `tests` are those that should notice. */
const FAULTS = JSON.parse(readFileSync(new URL('faults.json', import.meta.url), 'utf8'));
const REPORTER = join(import.meta.dirname, 'support/first-failure.mjs');
const words = process.argv.slice(2);
const chosen = FAULTS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
if (chosen.length === 0)
  refuse(`None of the faults' names contains ${words.join(' or ')}. They are in tools/faults.json.`);

const folder = temporaryFolder('webhook-faults');
const copy = join(folder, 'copy');
execFileSync('git', ['clone', '--quiet', '--shared', root, copy]);
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
execFileSync(process.execPath, ['tools/generate-client.mjs', 'openapi.json', 'client/schema.ts'], {
  cwd: copy,
});

let missed = 0;
for (const fault of chosen) {
  const found = await findingOf(fault);
  if (!found.startsWith('noticed')) missed++;
  console.log(`${fault.name}: ${found}`);
}
console.log(`${chosen.length} faults, ${missed} not noticed`);
process.exitCode = missed > 0 ? 1 : 0;

async function findingOf(fault) {
  try {
    const first = fault.tests.length > 0 ? await noticed(fault, fault.tests) : null;
    const test = first ?? (await noticed(fault, []));
    return test ? `noticed by "${test}"` : 'NOT NOTICED';
  } catch (error) {
    return `NO FAULT, ${error.message}`;
  }
}

/** @returns the name of the test that notices first, null if none does. */
async function noticed({ file, find, replace }, specs) {
  const path = join(copy, file);
  const right = readFileSync(path, 'utf8');
  if (right.split(find).length !== 2) throw new Error(`as its text is not once in ${file}`);
  writeFileSync(
    path,
    right.replace(find, () => replace),
  );
  try {
    const failure = await firstFailure(specs);
    // A file that cannot be loaded says that the fault is not one.
    if (failure?.broken) throw new Error(failure.broken);
    return failure?.test ?? null;
  } finally {
    writeFileSync(path, right);
  }
}

async function firstFailure(specs) {
  const report = join(folder, 'failure.json');
  rmSync(report, { force: true });
  const config = { ...CONFIG, rootDir: copy, reporters: [[REPORTER, { file: report }]] };
  const paths = specs.length > 0 ? ['--runTestsByPath', ...specs] : [];
  const { code, said } = await runJest(copy, ['--config', JSON.stringify(config), ...paths], {
    ...process.env,
    // What does not come because of the fault is waited for no longer than a quiet machine needs.
    TEST_PATIENCE_MS: '10000',
  });
  if (existsSync(report)) return JSON.parse(readFileSync(report, 'utf8'));
  if (code !== 0) throw new Error(`as Jest ended with ${code}, though no test failed:\n${said}`);
  return null;
}
