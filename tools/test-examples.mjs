// Builds the package and uses it as an application does (`npm run test:examples`): publint and attw check it, and each of
// examples/ is copied out of the repository, installed from the tarball, built and tested.
//
// The MySQL example gets a database of its own at TEST_MYSQL_URL. If no server answers, it is skipped, or fails with
// REQUIRE_MARIADB.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createConnection } from 'mysql2/promise';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const { PATH = '', TEST_MYSQL_URL = 'mysql://root@127.0.0.1:3306', REQUIRE_MARIADB } = process.env;
const PACKAGE = 'webhook-notification-service';
/** In milliseconds and bytes. A command that takes longer or prints more is killed. */
const LIMITS = { timeout: 600_000, maxBuffer: 64 * 1024 * 1024 };
const EXAMPLES = [
  { name: 'antifraud-express-mysql', needsMysql: true },
  { name: 'invoices-fastify-sqlite', needsMysql: false },
];

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const attw = fileURLToPath(
  new URL('dist/index.js', import.meta.resolve('@arethetypeswrong/cli/package.json')),
);

class CommandFailed extends Error {}

/** @returns the output of the command. @throws CommandFailed with the output */
function run(command, args, { cwd, env }) {
  const options = { ...LIMITS, cwd, env, encoding: 'utf8' };
  const { status, error, stdout, stderr } = spawnSync(command, args, options);
  if (status === 0) return stdout;
  throw new CommandFailed(
    `${[command, ...args].join(' ')}: ${error?.message ?? `exit ${status}`}\n${stdout}${stderr}`,
  );
}

/**
 * The environment for commands outside of the repository: with this Node, but without the variables and programs that npm
 * adds for this repository, and without settings that the examples would read.
 */
function outside() {
  const { INIT_CWD, NODE_PATH, DATABASE_URL, ENCRYPTION_KEYS, ALLOW_PRIVATE_NETWORK, ...env } = process.env;
  for (const name of Object.keys(env))
    if (/^npm_(package|lifecycle|config_local_prefix)/.test(name)) delete env[name];
  const elsewhere = PATH.split(delimiter).filter((folder) => !folder.endsWith(join('node_modules', '.bin')));
  env.PATH = [dirname(process.execPath), ...elsewhere].join(delimiter);
  // Under a silent npm, the ones it starts would not print their errors.
  env.npm_config_loglevel = 'error';
  return env;
}

function makePackage() {
  const printed = run('npm', ['run', '--silent', 'package'], { cwd: root, env: process.env });
  return join(root, printed.trim().split('\n').at(-1));
}

/** @returns true if the package passes. */
async function lint(tarball) {
  const bytes = readFileSync(tarball);
  const { messages, pkg } = await publint({
    pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) },
  });
  for (const message of messages) console.log(`publint: ${formatMessage(message, pkg)}`);
  // Without --pack, which would build the tarball again and then remove it.
  const { status, stdout, stderr } = spawnSync(process.execPath, [attw, tarball, '--profile', 'esm-only'], {
    encoding: 'utf8',
  });
  if (status !== 0) console.log(`attw:\n${stdout}${stderr}`);
  console.log(`publint: ${messages.length} problems; attw: ${status === 0 ? 'no problems' : 'problems'}`);
  return messages.length === 0 && status === 0;
}

async function administer(sql) {
  const connection = await createConnection({ uri: TEST_MYSQL_URL, connectTimeout: 5000 });
  try {
    await connection.query(sql);
  } finally {
    await connection.end();
  }
}

/** @returns why the database server cannot be used; null if it can. */
async function faultOfMysql() {
  try {
    await administer('SELECT 1');
    return null;
  } catch (error) {
    return `nothing answers at TEST_MYSQL_URL (${error.code ?? error.message})`;
  }
}

/** Calls `work` with the URL of a database that exists only during the call. */
async function withDatabase(work) {
  const name = `webhook_example_${process.pid}_${Date.now()}`;
  await administer(`CREATE DATABASE ${name}`);
  try {
    const url = new URL(TEST_MYSQL_URL);
    url.pathname = `/${name}`;
    return await work(url.href);
  } finally {
    await administer(`DROP DATABASE ${name}`);
  }
}

/** Makes the example depend on the tarball. Files that were installed or built in place are not copied. */
function copyOf(name, tarball) {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
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
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reads a count from the last lines of Node's test runner. */
const countOf = (printed, what) => Number(new RegExp(`^\\S+ ${what} (\\d+)$`, 'm').exec(printed)?.[1] ?? 0);

async function testExample({ name, needsMysql }, tarball) {
  if (!needsMysql) return test(name, tarball);
  const fault = await faultOfMysql();
  if (fault === null) return withDatabase((url) => test(name, tarball, { DATABASE_URL: url }));
  console.log(`example ${name}: ${fault}`);
  return REQUIRE_MARIADB ? { passed: 0, failed: 1 } : null;
}

const tarball = makePackage();
let ok = await lint(tarball);
for (const example of EXAMPLES) {
  const result = await testExample(example, tarball);
  console.log(
    `example ${example.name}: ${result ? `${result.passed} passed, ${result.failed} failed` : 'LEFT OUT'}`,
  );
  // No passed test means that nothing was tested.
  if (result && (result.failed > 0 || result.passed === 0)) ok = false;
}
process.exitCode = ok ? 0 : 1;
