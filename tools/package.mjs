// Builds the package that other applications install: `npm run package` writes a tarball to dist-package/, and one with
// the client alone to dist-client/. It prints their paths; the package's comes last.
// The package has only what the entry points import, without the standalone service (its start, HTTP edge and logging).
import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const out = join(root, 'dist-package');
const outOfClient = join(root, 'dist-client');
const service = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/**
 * Packages that the application also uses, and of which there must be only one copy, with the oldest version that works.
 * The host application `oldest` runs with these (tools/hosts/).
 */
const PEERS = {
  '@nestjs/common': '^12.0.1',
  '@nestjs/core': '^12.0.1',
  '@nestjs/event-emitter': '^12.0.0',
  '@nestjs/typeorm': '^12.0.1',
  'reflect-metadata': '^0.2.2',
  rxjs: '^7.8.0',
  typeorm: '^1.1.0',
};
const OWN = [
  '@nestjs/axios',
  '@nestjs/swagger',
  'amqplib',
  'axios',
  'class-transformer',
  'lru-cache',
  'mysql2',
  'prom-client',
  'undici',
  'uuid',
  'zod',
];
/** The oldest Node that these run on. The service's own package.json names that with which `npm ci` and `npm start` work. */
const NEEDED_NODE = '>=22.19';
/** Large and native, so an application that uses another database may leave it out. */
const OPTIONAL = ['sqlite-driver'];

const ENTRIES = {
  '.': 'src/index',
  './testing': 'src/module/testing/index',
  './client': 'client/index',
  './migrations': 'migrations/index',
};

const ranges = (names) =>
  Object.fromEntries(
    names.map((name) => {
      const version = service.dependencies[name];
      if (!version) throw new Error(`${name} is not among the dependencies.`);
      return [name, version.startsWith('npm:') ? version.replace('@', '@^') : `^${version}`];
    }),
  );

/** What both packages have. `entries` are paths without their endings; the first one is the package itself. */
function manifestOf(entries) {
  const [[, main], ...further] = Object.entries(entries);
  const exported = Object.entries(entries).map(([name, path]) => [
    name,
    { types: `./${path}.d.ts`, default: `./${path}.js` },
  ]);
  // For TypeScript's older way of finding modules, which does not know "exports".
  const typesVersions = Object.fromEntries(
    further.map(([name, path]) => [name.slice(2), [`./${path}.d.ts`]]),
  );
  return {
    version: service.version,
    license: service.license,
    // Set by the release workflow, which knows it.
    ...(service.repository ? { repository: service.repository } : {}),
    type: 'module',
    engines: { node: NEEDED_NODE },
    sideEffects: false,
    main: `./${main}.js`,
    types: `./${main}.d.ts`,
    ...(further.length > 0 ? { typesVersions: { '*': typesVersions } } : {}),
    exports: { ...Object.fromEntries(exported), './package.json': './package.json' },
  };
}

const manifest = {
  name: service.name,
  description: service.description,
  keywords: ['nestjs', 'webhooks', 'standard-webhooks', 'notifications', 'typeorm'],
  ...manifestOf(ENTRIES),
  dependencies: ranges(OWN),
  optionalDependencies: ranges(OPTIONAL),
  peerDependencies: PEERS,
};

const clientManifest = {
  name: `${service.name}-client`,
  description: 'The client for the REST API of webhook-notification-service',
  keywords: ['webhooks', 'standard-webhooks', 'client'],
  ...manifestOf({ '.': 'index' }),
};

/** Names the source of each file beside it: the maps carry the sources, which are not in the package. */
function renameSources(folder) {
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!name.endsWith('.js.map')) continue;
    const file = join(folder, name);
    const map = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...map, sources: map.sources.map((source) => basename(source)) }));
  }
}

/** @returns the path of the tarball, from the repository. */
function pack(folder, contents) {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(contents, null, 2)}\n`);
  const [{ filename }] = JSON.parse(
    execFileSync('npm', ['pack', '--json'], { cwd: folder, encoding: 'utf8' }),
  );
  return join(basename(folder), filename);
}

/** Rewrites the links of a page in docs/ for the folder above it. */
function oneFolderUp(page) {
  return page.replaceAll(/\]\((?!https?:|#)(\.\.\/)?/g, (_, up) => (up ? '](' : '](docs/'));
}

for (const folder of [out, outOfClient]) rmSync(folder, { recursive: true, force: true });
const tsc = join(root, 'node_modules/typescript/bin/tsc');
execFileSync(process.execPath, [tsc, '-p', 'tsconfig.package.json'], { cwd: root, stdio: 'inherit' });
renameSources(out);
// Beside `src`, as in `dist`.
execFileSync('npm', ['run', 'console:build', '--', '--outDir', join(out, 'console')], {
  cwd: root,
  stdio: 'inherit',
});

cpSync(join(out, 'client'), outOfClient, { recursive: true });
cpSync(join(root, 'LICENSE'), join(outOfClient, 'LICENSE'));
cpSync(join(root, 'docs/client.md'), join(outOfClient, 'README.md'));
console.log(pack(outOfClient, clientManifest));

for (const name of ['CHANGELOG.md', 'LICENSE', 'SECURITY.md', 'docs']) {
  cpSync(join(root, name), join(out, name), { recursive: true });
}
writeFileSync(join(out, 'README.md'), oneFolderUp(readFileSync(join(root, 'docs/embedding.md'), 'utf8')));
console.log(pack(out, manifest));
