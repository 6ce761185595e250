// What a check ends with: its slowest files, those that are unstable, its steps that failed, and how many tests passed and failed.
//   node .ci/closing-lines.mjs 'FAILED_STEP …' APPLICATIONS_LOG REPORT…
// A report that was not written is left out: the step that should have written it has failed.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const SLOWEST = 20;
const [failedNames, log, ...paths] = process.argv.slice(2);
const reports = paths
  .filter((path) => existsSync(path))
  .map((path) => JSON.parse(readFileSync(path, 'utf8')));
// A test application prints its counts itself.
const lines = existsSync(log) ? readFileSync(log, 'utf8') : '';
const applications = [...lines.matchAll(/^(?:example|host) .*: (\d+) passed, (\d+) failed/gm)];

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
const files = reports.flatMap(({ testResults }) => testResults);
const secondsOf = ({ startTime, endTime }) => (endTime - startTime) / 1000;

console.log(
  `Slowest of ${files.length} files of tests, which took ${sum(files.map(secondsOf)).toFixed(0)} s:`,
);
for (const file of files.sort((one, next) => secondsOf(next) - secondsOf(one)).slice(0, SLOWEST))
  console.log(`${secondsOf(file).toFixed(1).padStart(7)} s  ${relative('.', file.name)}`);
for (const { file, what } of reports.flatMap(({ unstable = [] }) => unstable))
  console.log(`unstable: ${file} (${what})`);

const passed =
  sum(reports.map((one) => one.numPassedTests)) + sum(applications.map(([, count]) => Number(count)));
// A file that could not even start counts as one failed test.
const failedTests =
  sum(reports.map((one) => one.numFailedTests + one.numRuntimeErrorTestSuites)) +
  sum(applications.map(([, , count]) => Number(count)));
const failedSteps = failedNames.split(' ').filter(Boolean);
if (failedSteps.length > 0) console.log(`Failed: ${failedSteps.join(', ')}`);
// Who reads the last line alone must see that a step failed in which no test did, such as `lint`.
const failed = Math.max(failedTests, failedSteps.length);
const skipped = sum(reports.map((one) => one.numPendingTests + one.numTodoTests));
console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`);
