// Builds the package and uses it as an application does (`npm run test:examples`): publint and attw check it, and each of
// examples/ is copied out of the repository, installed from the tarball, built and tested.
//
//   --packed   uses the tarballs that `npm run package` wrote before
//
// The MySQL example gets a database of its own at TEST_MYSQL_URL. If no server answers, it is skipped, or fails with
// REQUIRE_MARIADB.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readCommandLine } from './support/command-line.mjs';
import { CommandFailed, makePackages, outside, packages, root, run } from './support/commands.mjs';
import { temporaryFolder } from './support/ending.mjs';
import { lintPackage } from './support/lint-package.mjs';
import { faultOfMysql, withDatabase } from './support/mariadb.mjs';

const PACKAGE = 'webhook-notification-service';
const EXAMPLES = [
  { name: 'antifraud-express-mysql', needsMysql: true },
  { name: 'invoices-fastify-sqlite', needsMysql: false },
];

/** Makes the example depend on the tarball. Files that were installed or built in place are not copied. */
function copyOf(name, tarball) {
  const folder = temporaryFolder(name);
  const left = new Set(['node_modules', 'package-lock.json', 'dist', 'data']);
  cpSync(join(root, 'examples', name), folder, {
    recursive: true,
    filter: (path) => !left.has(basename(path)),
  });
  const file = join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  manifest.dependencies[PACKAGE] = `file:${tarball}`;
  writeFileSync(file, JSON.stringify(manifest, null, 2));
  return folder;
}

/** @returns the numbers of tests that passed and failed. A suite that cannot run counts as one failure. */
function test(name, tarball, more = {}) {
  const folder = copyOf(name, tarball);
  const options = { cwd: folder, env: { ...outside(), ...more } };
  try {
    run('npm', ['install', '--no-audit', '--no-fund'], options);
    run('npm', ['run', 'build'], options);
    const printed = run('npm', ['test'], options);
    return { passed: countOf(printed, 'pass'), failed: 0 };
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    console.log(error.message);
    const failed = countOf(error.message, 'fail') + countOf(error.message, 'cancelled');
    return { passed: countOf(error.message, 'pass'), failed: Math.max(1, failed) };
  }
}

/** Reads a count from the last lines of Node's test runner. */
const countOf = (printed, what) => Number(new RegExp(`^\\S+ ${what} (\\d+)$`, 'm').exec(printed)?.[1] ?? 0);

async function testExample({ name, needsMysql }, tarball) {
  if (!needsMysql) return test(name, tarball);
  const fault = await faultOfMysql();
  if (fault === null) return withDatabase((url) => test(name, tarball, { DATABASE_URL: url }));
  console.log(`example ${name}: ${fault}`);
  return process.env.REQUIRE_MARIADB ? { passed: 0, failed: 1 } : null;
}

const { values } = readCommandLine({ options: { packed: { type: 'boolean' } } });
const { tarball, client } = values.packed ? packages() : makePackages();
let ok = (await lintPackage(tarball)) && (await lintPackage(client));
for (const example of EXAMPLES) {
  const result = await testExample(example, tarball);
  console.log(
    `example ${example.name}: ${result ? `${result.passed} passed, ${result.failed} failed` : 'LEFT OUT'}`,
  );
  // No passed test means that nothing was tested.
  if (result && (result.failed > 0 || result.passed === 0)) ok = false;
}
process.exitCode = ok ? 0 : 1;
