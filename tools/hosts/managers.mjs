// The package managers, with the lines from docs/embedding.md that install the package.
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { outside, run } from '../support/commands.mjs';

const PACKAGE = 'webhook-notification-service';

const MANAGERS = {
  npm: {
    command: ['npm'],
    add: (tarball, peers) => ['install', tarball, ...peers],
  },
  pnpm: {
    command: ['npx', '--yes', 'pnpm@12.21.0'],
    add: (tarball, peers) => ['add', '--allow-build=!@scarf/scarf', tarball, ...peers],
    // Build scripts of the applications' own tools.
    files: {
      'pnpm-workspace.yaml':
        "allowBuilds:\n  '@parcel/watcher': false\n  '@swc/core': true\n  unrs-resolver: true\n",
    },
  },
  'yarn-classic': {
    command: ['npx', '--yes', 'yarn@1.22.22'],
    add: (tarball, peers) => ['add', '--ignore-scripts', `file:${tarball}`, ...peers],
  },
  yarn: {
    command: ['npx', '--yes', '--package', '@yarnpkg/cli-dist@4.18.1', 'yarn'],
    add: (tarball, peers) => ['add', `${PACKAGE}@file:${tarball}`, ...peers],
    files: {
      '.yarnrc.yml': 'nodeLinker: node-modules\nenableTelemetry: false\nenableImmutableInstalls: false\n',
      'yarn.lock': '',
    },
  },
};

/** Installs the application's own dependencies, the package, and what the line in the docs names beside it. */
export function install(host, folder, built, peers) {
  // Yarn 1 caches a tarball by its path.
  const tarball = join(folder, basename(built));
  copyFileSync(built, tarball);
  const { command, add, files = {} } = MANAGERS[host.manager];
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const [program, ...first] = command;
  const args = [...first, ...add(tarball, [...peers, ...(host.drivers ?? [])])];
  run(program, args, { cwd: folder, env: { ...outside(), ...headers(host, folder) } });
}

/**
 * Where node-gyp finds headers, for machines that cannot download them: those of the Node that runs here, unless it breaks
 * what is compiled with its own and the application names older ones.
 */
function headers({ headers: older }, folder) {
  const name = `node-${process.platform}-${process.arch}`;
  const installed = join(dirname(process.execPath), '..');
  const folders = older && breaksAddons() ? [installHeaders(folder, `${name}@${older}`, name)] : [installed];
  const found = folders.find((path) => existsSync(join(path, 'include/node/node.h')));
  return found ? { npm_config_nodedir: found } : {};
}

/** Whether addons of the kind of better-sqlite3 12 end the process if they were compiled with this Node's headers. */
function breaksAddons() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major === 24 && minor >= 19;
}

/** In a folder of their own: the package would also bring the application another Node. */
function installHeaders(folder, version, name) {
  const prefix = join(folder, 'node-headers');
  mkdirSync(prefix);
  run('npm', ['install', '--ignore-scripts', '--prefix', prefix, version], { cwd: prefix, env: outside() });
  return join(prefix, 'node_modules', name);
}

/** Every package manager here puts programs where npm finds them. */
export function runScript(folder, script, more = {}) {
  return run('npm', ['run', '--silent', script], { cwd: folder, env: { ...outside(), ...more } });
}
