// Builds the package that other applications install: `npm run package` writes a tarball to dist-package/.
// It contains only what the entry points import, without the standalone service (its start, HTTP edge and logging).
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const out = join(root, 'dist-package');
const service = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Packages that the application also uses, and of which there must be only one copy. */
const PEERS = [
  '@nestjs/axios',
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/event-emitter',
  '@nestjs/swagger',
  '@nestjs/typeorm',
  'axios',
  'reflect-metadata',
  'rxjs',
  'typeorm',
];
/** Database drivers; the application installs the one it needs. */
const DRIVERS = ['better-sqlite3', 'mysql2'];
const OWN = ['class-transformer', 'lru-cache', 'prom-client', 'undici', 'uuid', 'zod'];

const ENTRIES = {
  '.': 'src/index',
  './testing': 'src/testing/index',
  './client': 'src/client/index',
  './migrations': 'migrations/index',
};

const ranges = (names) =>
  Object.fromEntries(
    names.map((name) => {
      const version = service.dependencies[name];
      if (!version) throw new Error(`${name} is not among the dependencies.`);
      return [name, `^${version}`];
    }),
  );

const manifest = {
  name: service.name,
  version: service.version,
  description: service.description,
  license: service.license,
  keywords: ['nestjs', 'webhooks', 'standard-webhooks', 'notifications', 'typeorm'],
  type: 'module',
  engines: service.engines,
  sideEffects: false,
  exports: {
    ...Object.fromEntries(
      Object.entries(ENTRIES).map(([name, path]) => [
        name,
        { types: `./${path}.d.ts`, default: `./${path}.js` },
      ]),
    ),
    './package.json': './package.json',
  },
  dependencies: ranges(OWN),
  peerDependencies: {
    ...ranges([...PEERS, ...DRIVERS]),
    // TypeORM requires 12.
    'better-sqlite3': `^12.11.1 || ^${service.dependencies['better-sqlite3']}`,
  },
  peerDependenciesMeta: Object.fromEntries(DRIVERS.map((name) => [name, { optional: true }])),
};

/** Rewrites the links of a page in docs/ for the folder above it. */
function oneFolderUp(page) {
  return page.replaceAll(/\]\((?!https?:|#)(\.\.\/)?/g, (_, up) => (up ? '](' : '](docs/'));
}

rmSync(out, { recursive: true, force: true });
execFileSync(
  process.execPath,
  [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.package.json'],
  {
    cwd: root,
    stdio: 'inherit',
  },
);
for (const name of ['CHANGELOG.md', 'LICENSE', 'SECURITY.md', 'docs']) {
  cpSync(join(root, name), join(out, name), { recursive: true });
}
writeFileSync(join(out, 'README.md'), oneFolderUp(readFileSync(join(root, 'docs/embedding.md'), 'utf8')));
writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
const [{ filename }] = JSON.parse(execFileSync('npm', ['pack', '--json'], { cwd: out, encoding: 'utf8' }));
console.log(join('dist-package', filename));
