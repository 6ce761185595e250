// Runs a suite of Jest, and each file that failed once more, alone:
//   node .ci/suite.mjs REPORT COMMAND… [--runTestsByPath FILE…]
// The report is Jest's, with the second result in place of the first one. Files that passed only then are its `unstable`.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';

const [report, program, ...args] = process.argv.slice(2);

/** Of the files that are to run, where only some are. */
const chosenAt = args.indexOf('--runTestsByPath');
const command = chosenAt < 0 ? args : args.slice(0, chosenAt);
const chosen = args.slice(command.length);

function run(output, ...files) {
  const all = [...command, '--ci', '--json', `--outputFile=${output}`, ...files];
  const { status } = spawnSync(program, all, { stdio: 'inherit' });
  if (!existsSync(output)) {
    console.error(`${program} ${command.join(' ')} ended with ${status} and wrote no report.`);
    process.exit(1);
  }
  return { status, result: JSON.parse(readFileSync(output, 'utf8')) };
}

/** What failed first, for one line. */
function faultOf({ assertionResults, message }) {
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  const more = failed.length > 1 ? `, and ${failed.length - 1} more` : '';
  return failed.length > 0 ? `${failed[0].fullName}${more}` : message.trim().split('\n', 1)[0];
}

const hasFailed = ({ status }) => status === 'failed';
const COUNTS = [
  'numPassedTests',
  'numFailedTests',
  'numPendingTests',
  'numTodoTests',
  'numRuntimeErrorTestSuites',
];

const { status, result } = run(report, ...chosen);
const unstable = [];
const isUnexplained = status !== 0 && !result.testResults.some(hasFailed);
if (isUnexplained) console.error(`The suite ended with ${status}, though no file of it failed.`);
let alone = 0;
for (const [at, first] of result.testResults.entries()) {
  if (!hasFailed(first)) continue;
  const file = relative('.', first.name);
  console.log(`== ${file}, once more`);
  const { result: second } = run(`${report}.${alone++}`, '--runTestsByPath', file);
  const [again] = second.testResults;
  const { assertionResults: tests } = first;
  const count = (wanted) => tests.filter((test) => test.status === wanted).length;
  const before = {
    numPassedTests: count('passed'),
    numFailedTests: count('failed'),
    numPendingTests: count('pending'),
    numTodoTests: count('todo'),
    numRuntimeErrorTestSuites: tests.length === 0 ? 1 : 0,
  };
  for (const name of COUNTS) result[name] += second[name] - before[name];
  result.testResults[at] = again;
  if (!hasFailed(again)) unstable.push({ file, what: faultOf(first) });
}
writeFileSync(report, JSON.stringify({ ...result, unstable }));
process.exitCode = isUnexplained || result.testResults.some(hasFailed) ? 1 : 0;
