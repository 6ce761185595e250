// Prints what the tests promise, room by room: the names of those of `npm test`, without running them.
//
//   npm run test:promises                            all of them
//   npm run test:promises -- test/webhook            of a room, or of a file
//   npm run test:promises -- test/system/console     of system tests
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from './support/commands.mjs';
import { temporaryFolder } from './support/ending.mjs';
import { configOf, runJest } from './support/run-jest.mjs';

const report = join(temporaryFolder('webhook-promises'), 'report.json');
const paths = process.argv.slice(2);
// Jest knows a test's name only once its file is loaded, and skips all whose names are not the one that is asked for.
const words = ['--config', configOf(paths), '--json', `--outputFile=${report}`, '-t', 'no test is named so'];
const { code, said } = await runJest(root, [...words, ...paths]);
if (code !== 0) {
  console.error(said);
  process.exit(1);
}

const rooms = new Map();
const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
for (const { name, assertionResults } of testResults.sort((a, b) => (a.name < b.name ? -1 : 1)))
  for (const { ancestorTitles, title } of assertionResults)
    put(relative(root, dirname(name)), ancestorTitles, title);
for (const [room, promises] of rooms) print(room, promises, '');

/** A promise that holds on every database is printed once. */
function put(room, titles, title) {
  let place = rooms;
  for (const text of [room, ...titles, title].map((name) => name.replace(/ on (?:SQLite|MariaDB)$/, ''))) {
    if (!place.has(text)) place.set(text, new Map());
    place = place.get(text);
  }
}

function print(text, inner, indent) {
  console.log(`${indent}${text}`);
  for (const [promise, more] of inner) print(promise, more, `${indent}  `);
}
