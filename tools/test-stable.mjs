// Finds out whether tests are stable: runs them again and again, half of the times beside as many processes that compute all
// the time as the machine has cores.
//
//   npm run test:stable -- test/webhook/event.spec.ts     20 runs of what `npm run test:only` with these words runs
//   npm run test:stable -- --runs 30 --busy 10            30 runs of all of `npm test`, 10 of them beside others
//   npm run test:stable -- test/system/egress             of system tests, for which it builds once
//
// Each run ends in a line; what failed is told after it. Fails if any run did.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { readCommandLine, refuse } from './support/command-line.mjs';
import { root } from './support/commands.mjs';
import { temporaryFolder } from './support/ending.mjs';
import { configOf, runJest } from './support/run-jest.mjs';

const { values, positionals } = readCommandLine({
  options: { runs: { type: 'string', default: '20' }, busy: { type: 'string' } },
  allowPositionals: true,
});
const runs = wholeNumber('runs', values.runs, 1);
const busy = wholeNumber('busy', values.busy ?? String(Math.floor(runs / 2)), 0);
if (busy > runs) refuse(`--busy is at most --runs, ${runs}, not ${busy}`);
const config = configOf(positionals);
/** Ends with the one who started it, however that one ends. */
const COMPUTES = 'const { ppid } = process; while (process.ppid === ppid);';
const folder = temporaryFolder('webhook-stable');

if (config.includes('system')) prepare('build');
prepare('client');
let failures = 0;
for (let run = 1; run <= runs; run++) {
  // Spread over the runs, so that neither kind has the machine's better hour.
  const isBusy = Math.floor((run * busy) / runs) > Math.floor(((run - 1) * busy) / runs);
  const began = performance.now();
  const { passed, failed } = await beside(isBusy ? availableParallelism() : 0, once);
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(`run ${run}${isBusy ? ', busy' : ''}: ${passed} passed, ${failed.length} failed, ${seconds} s`);
  for (const one of failed) console.log(one);
  if (failed.length > 0) failures++;
}
console.log(`${runs} runs, ${busy} of them beside busy processes: ${failures} failed`);
process.exitCode = failures > 0 ? 1 : 0;

/** @returns how many tests passed, and a text about each that failed. */
async function once() {
  const report = join(folder, 'report.json');
  rmSync(report, { force: true });
  const words = ['--config', config, '--json', `--outputFile=${report}`, ...positionals];
  const { code, said } = await runJest(root, words);
  const result = readReport(report);
  if (!result) return { passed: 0, failed: [`Jest ended with ${code} and no report:\n${said}`] };
  const failed = result.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const tests = assertionResults.filter((test) => test.status === 'failed');
    const place = relative(root, name);
    if (status === 'failed' && tests.length === 0) return [`  ${place}: ${message}`];
    return tests.map((test) => `  ${place}: ${test.fullName}\n${test.failureMessages.join('\n')}`);
  });
  if (code !== 0 && failed.length === 0) failed.push(`Jest ended with ${code}:\n${said}`);
  return { passed: result.numPassedTests, failed };
}

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

async function beside(count, work) {
  const others = Array.from({ length: count }, () => spawn(process.execPath, ['-e', COMPUTES]));
  const end = () => {
    for (const other of others) other.kill('SIGKILL');
  };
  process.on('exit', end);
  try {
    return await work();
  } finally {
    end();
    process.off('exit', end);
  }
}

function prepare(script) {
  const { status } = spawnSync('npm', ['run', '--silent', script], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}

function wholeNumber(name, text, least) {
  const number = Number(text);
  if (!Number.isInteger(number) || number < least)
    refuse(`--${name} is a whole number from ${least}, not ${text}`);
  return number;
}
