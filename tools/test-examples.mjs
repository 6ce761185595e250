// Makes the package and uses it as an application does: publint and attw look at it, and each of examples/ is copied
// out of the repository, installed from the tarball, built and tested. `npm run test:examples`.
//
// The MySQL example gets a database of its own at TEST_MYSQL_URL. Where none answers it is left out, or, with
// REQUIRE_MARIADB, fails.
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
/** A command that takes longer, or prints more, is ended. */
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

/** @returns what it printed. @throws CommandFailed with the same */
function run(command, args, { cwd, env }) {
  const options = { ...LIMITS, cwd, env, encoding: 'utf8' };
  const { status, error, stdout, stderr } = spawnSync(command, args, options);
  if (status === 0) return stdout;
  throw new CommandFailed(
    `${[command, ...args].join(' ')}: ${error?.message ?? `exit ${status}`}\n${stdout}${stderr}`,
  );
}

/**
 * This Node, and nothing of what npm tells a script about this repository: its programs are not to be found there. Nor
 * what the examples would take for their own settings.
 */
function outside() {
  const { INIT_CWD, NODE_PATH, DATABASE_URL, ENCRYPTION_KEYS, ALLOW_PRIVATE_NETWORK, ...env } = process.env;
  for (const name of Object.keys(env))
    if (/^npm_(package|lifecycle|config_local_prefix)/.test(name)) delete env[name];
  const elsewhere = PATH.split(delimiter).filter((folder) => !folder.endsWith(join('node_modules', '.bin')));
  env.PATH = [dirname(process.execPath), ...elsewhere].join(delimiter);
  // Run by a silent npm, those that it starts would not tell their errors.
  env.npm_config_loglevel = 'error';
  return env;
}

function makePackage() {
  const printed = run('npm', ['run', '--silent', 'package'], { cwd: root, env: process.env });
  return join(root, printed.trim().split('\n').at(-1));
}

/** @returns whether it is as it should be. */
async function lint(tarball) {
  const bytes = readFileSync(tarball);
  const { messages, pkg } = await publint({
    pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) },
  });
  for (const message of messages) console.log(`publint: ${formatMessage(message, pkg)}`);
  // Not with --pack: that makes the tarball anew, and removes it afterwards.
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

/** @returns why it cannot be used; null where it can. */
async function faultOfMysql() {
  try {
    await administer('SELECT 1');
    return null;
  } catch (error) {
    return `nothing answers at TEST_MYSQL_URL (${error.code ?? error.message})`;
  }
}

/** Calls `work` with the URL of a database that is there for as long as that takes. */
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

/** The dependency on the package becomes one on the tarball; what was installed or built in place stays there. */
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

/** @returns how many tests passed and failed; one that could not be run at all counts as failed. */
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

/** Of the last lines of Node's test runner. */
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
  // Without a test that passed nothing was tested.
  if (result && (result.failed > 0 || result.passed === 0)) ok = false;
}
process.exitCode = ok ? 0 : 1;
