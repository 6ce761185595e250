// Runs what a change touches, of `npm test`: the specs that changed, those that load a file which changed, and the rooms in which
// the service shows what this file does. Everything a service loads is loaded by whoever starts it, so that alone tells nothing.
//
//   npm run test:changed                     what differs from the last commit, new files too
//   npm run test:changed -- --since main     what differs from another one
//
// Says how many of the spec files it runs. `npm test` runs all.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { readCommandLine } from './support/command-line.mjs';
import { root } from './support/commands.mjs';
import { JEST } from './support/run-jest.mjs';

/** The rooms of `test/` that show what stands below here, where no room has the same name. */
const ROOMS = {
  console: ['console'],
  migrations: ['database'],
  'src/auth': ['http'],
  'src/engine': ['delivery', 'models', 'notification'],
  'src/idempotency': ['notification'],
  'src/jobs': ['retention'],
  'src/module': ['host'],
  'src/move': ['database'],
  'src/network': ['egress'],
  'src/notifier': ['notification'],
  'src/rest': ['http'],
  'src/service': ['http'],
  'src/store': ['database'],
  'src/streams': ['notification', 'trigger'],
};
/** What loads one of these loads all of the product. */
const STARTS = ['test/support/service.ts', 'test/support/host.ts', 'src/index.ts'];
const ALL = /^(?:jest\.config\.mjs|package-lock\.json|test\/support\/(?:jest|run)\/.*)$/;

const { values } = readCommandLine({ options: { since: { type: 'string', default: 'HEAD' } } });
const changed = [
  ...git('diff', '--name-only', values.since),
  ...git('ls-files', '--others', '--exclude-standard'),
];
const sources = git(
  'ls-files',
  '--cached',
  '--others',
  '--exclude-standard',
  'src',
  'test',
  'migrations',
).filter((file) => file.endsWith('.ts') && existsSync(join(root, file)));
const specs = sources.filter((file) => file.endsWith('.spec.ts') && !file.startsWith('test/system/'));

const chosen = changed.some((file) => ALL.test(file)) ? specs : specs.filter(isTouched(changed));
console.error(`${changed.length} files changed: ${chosen.length} of ${specs.length} spec files`);
if (chosen.length > 0) {
  // By patterns, as of paths Jest repeats each at its end.
  const words = ['--testMatch', ...chosen.map((file) => `**/${file}`)];
  const { status } = spawnSync(process.execPath, [JEST, ...words], { cwd: root, stdio: 'inherit' });
  process.exitCode = status ?? 1;
}

function git(...words) {
  const { status, stdout } = spawnSync('git', words, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) process.exit(2);
  return stdout.split('\n').filter(Boolean);
}

function isTouched(files) {
  const loaders = loadersOf(sources);
  const touched = new Set(files);
  for (const file of touched)
    if (!STARTS.includes(file) || files.includes(file))
      for (const by of loaders.get(file) ?? []) touched.add(by);
  const rooms = files.flatMap(roomsOf).map((room) => `test/${room}/`);
  return (spec) => touched.has(spec) || rooms.some((room) => spec.startsWith(room));
}

function roomsOf(file) {
  if (file.endsWith('.md')) return ['docs'];
  const [top, room] = file.split('/');
  return [...(ROOMS[top] ?? []), ...(top === 'src' ? [room, ...(ROOMS[`src/${room}`] ?? [])] : [])];
}

/** By file, those that import it. */
function loadersOf(files) {
  const loaders = new Map(files.map((file) => [file, []]));
  for (const file of files)
    for (const [, name] of readFileSync(join(root, file), 'utf8').matchAll(
      /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g,
    ))
      loaders.get(normalize(join(dirname(file), name)).replace(/\.js$/, '.ts'))?.push(file);
  return loaders;
}
