// Commands that tools run, in this repository and outside of it.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
/** In milliseconds and bytes. A command that takes longer or prints more is killed. */
const LIMITS = { timeout: 600_000, maxBuffer: 64 * 1024 * 1024 };

export class CommandFailed extends Error {}

/** @returns the output of the command. @throws CommandFailed with the output */
export function run(command, args, { cwd, env }) {
  const options = { ...LIMITS, cwd, env, encoding: 'utf8' };
  const { status, error, stdout, stderr } = spawnSync(command, args, options);
  if (status === 0) return stdout;
  throw new CommandFailed(
    `${[command, ...args].join(' ')}: ${error?.message ?? `exit ${status}`}\n${stdout}${stderr}`,
  );
}

/**
 * The environment for commands outside of the repository: with this Node, but without the variables and programs that npm
 * adds for this repository (its .npmrc included), and without settings that the applications would read.
 */
export function outside() {
  const {
    PATH = '',
    INIT_CWD,
    NODE_PATH,
    DATABASE_URL,
    ENCRYPTION_KEYS,
    ALLOW_PRIVATE_NETWORK,
    ...env
  } = process.env;
  for (const name of Object.keys(env))
    if (/^npm_(package|lifecycle|config_(local_prefix|strict_allow_scripts|legacy_peer_deps))/.test(name))
      delete env[name];
  const elsewhere = PATH.split(delimiter).filter((folder) => !folder.endsWith(join('node_modules', '.bin')));
  env.PATH = [dirname(process.execPath), ...elsewhere].join(delimiter);
  // Under a silent npm, the ones it starts would not print their errors.
  env.npm_config_loglevel = 'error';
  return env;
}

/** The tarballs of the package, and of the client, as they were built last. */
export function packages() {
  const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return {
    tarball: join(root, `dist-package/${name}-${version}.tgz`),
    client: join(root, `dist-client/${name}-client-${version}.tgz`),
  };
}

export function makePackages() {
  run('npm', ['run', '--silent', 'package'], { cwd: root, env: process.env });
  return packages();
}
