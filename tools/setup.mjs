// Installs what tests, linters, benchmarks and releases need beside a start (tools/package.json), at the versions of the
// lockfile, unless it is there: `npm run setup`. The scripts that need it begin with this.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { root } from './support/commands.mjs';

const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const INSTALL =
  'npm install --no-save --include=dev --workspaces --include-workspace-root --no-audit --no-fund';

/** npm writes this list when it has installed everything. */
function installed() {
  try {
    return read('node_modules/.package-lock.json').packages;
  } catch {
    return {};
  }
}

const packages = installed();
const wanted = Object.entries(read('tools/package.json').devDependencies);
if (!wanted.every(([name, version]) => packages[`node_modules/${name}`]?.version === version)) {
  console.error('Installing what tests, linters and releases need, once: tools/package.json.');
  // To the error stream: what some scripts print is read by others.
  const { status } = spawnSync(INSTALL, { cwd: root, shell: true, stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    console.error('That failed. "npm run setup" tries it again.');
    process.exit(1);
  }
}
