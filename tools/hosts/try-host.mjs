// Installs, builds, tests and runs one host application.
import { rejects } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outside } from '../support/commands.mjs';
import { withDatabase } from '../support/mariadb.mjs';
import { peersOf, writeApplication } from './application.mjs';
import { install, runScript } from './managers.mjs';
import { keepsPromises } from './promises.mjs';
import { RunningHost, startReceiver } from './running.mjs';
import { BUILDERS } from './tools.mjs';

/** Calls `work` with the URL of an empty database. */
const withEmptyDatabase = (host, sqlite, work) =>
  host.database === 'mariadb'
    ? withDatabase((url) => work(url.replace(/^mysql:/, 'mariadb:')), host.charset)
    : work(`sqlite:${sqlite}`);

/** @param check runs a step and counts it. */
async function runProcess(host, folder, env, check) {
  const node = host.node ? join(folder, 'node_modules/node/bin/node') : process.execPath;
  const start = (more = {}) =>
    new RunningHost(node, BUILDERS[host.build].start, {
      cwd: folder,
      env: { ...outside(), ...env, ...more, PORT: '0', NO_COLOR: '1' },
    });
  if (host.charset) {
    const refused = start({ DATABASE_CHARSET: host.charset });
    await check('is told which character set its connections need', () =>
      rejects(refused.listening(), /charset: 'utf8mb4'/),
    ).finally(() => refused.kill());
  }
  const receiver = await startReceiver();
  const app = start();
  try {
    await check('starts', () => app.listening());
    await keepsPromises(host, app, receiver, check);
    await check('stops at SIGTERM', () => app.stop());
  } finally {
    app.kill();
    receiver.close();
  }
}

/** @param check runs a step and counts it; throws if the step fails. */
export async function tryHost(host, tarball, check) {
  const folder = mkdtempSync(join(tmpdir(), `host-${host.name}-`));
  const settings = { ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}` };
  // With ConfigModule the application reads it from its .env.
  const env = host.options === 'config-module' ? {} : settings;
  try {
    writeApplication(host, folder, settings);
    await check('installs', () => install(host, folder, tarball, peersOf(host)));
    await check('compiles', () => runScript(folder, 'build'));
    await check('passes its tests', () =>
      withEmptyDatabase(host, ':memory:', (url) => runScript(folder, 'test', { ...env, DATABASE_URL: url })),
    );
    await withEmptyDatabase(host, join(folder, 'app.sqlite'), (url) =>
      runProcess(host, folder, { ...env, DATABASE_URL: url }, check),
    );
  } finally {
    if (!process.env.KEEP_HOSTS) rmSync(folder, { recursive: true, force: true });
  }
}
