// The package managers, with the lines from docs/embedding.md that install the package.
import { copyFileSync, existsSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { outside, root, run } from '../support/commands.mjs';

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
  run(program, args, { cwd: folder, env: { ...outside(), ...headers() } });
}

/** Where node-gyp finds the headers of the Node that runs here, for machines that cannot download them. */
function headers() {
  const dependency = join(root, 'node_modules/node/node_modules', `node-${process.platform}-${process.arch}`);
  const installed = join(dirname(process.execPath), '..');
  const folder = [dependency, installed].find((path) => existsSync(join(path, 'include/node/node.h')));
  return folder ? { npm_config_nodedir: folder } : {};
}

/** Every package manager here puts programs where npm finds them. */
export function runScript(folder, script, more = {}) {
  return run('npm', ['run', '--silent', script], { cwd: folder, env: { ...outside(), ...more } });
}
