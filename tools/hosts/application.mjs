// Writes a host application from its parts.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/commands.mjs';
import { BUILDERS, RUNNERS } from './tools.mjs';

const COMMON = [
  'app.module.ts',
  'around.ts',
  'customer-order.ts',
  'order-watcher.ts',
  'orders.controller.ts',
];

const parts = join(root, 'tools/hosts/parts');
const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const ours = { ...read('package.json').dependencies, ...read('tools/package.json').devDependencies };

/** The version that this repository uses, unless the application asks for another. */
function versionFor(host, name) {
  const version = host.versions?.[name] ?? ours[name];
  if (!version) throw new Error(`No version of ${name} is known for ${host.name}.`);
  return version;
}

/** What the line in docs/embedding.md installs beside the package. */
export const peersOf = (host) =>
  ['@nestjs/event-emitter', '@nestjs/typeorm', 'typeorm'].map((name) => `${name}@${versionFor(host, name)}`);

function manifestOf(host) {
  const [builder, runner] = [BUILDERS[host.build], RUNNERS[host.test]];
  const versions = (...names) => Object.fromEntries(names.map((name) => [name, versionFor(host, name)]));
  const platform = `@nestjs/platform-${host.platform}`;
  return {
    name: `host-${host.name}`,
    version: '1.0.0',
    private: true,
    type: host.module === 'esm' ? 'module' : 'commonjs',
    scripts: { build: builder.script, test: runner.script },
    dependencies: {
      ...versions('@nestjs/common', '@nestjs/core', platform, 'reflect-metadata', 'rxjs'),
      ...(host.options === 'config-module' ? { '@nestjs/config': '12.0.1' } : {}),
      ...host.packages,
    },
    devDependencies: {
      ...versions('@nestjs/testing', '@types/node'),
      typescript: host.typescript,
      ...(host.node ? { node: host.node } : {}),
      ...builder.packages,
      ...runner.packages,
    },
  };
}

function compilerOptionsOf({ module, typescript }) {
  const classic = module === 'commonjs' && typescript.startsWith('5.');
  return {
    ...(classic
      ? { module: 'commonjs', moduleResolution: 'node10' }
      : { module: 'nodenext', moduleResolution: 'nodenext' }),
    target: 'ES2023',
    types: ['node'],
    strict: true,
    esModuleInterop: true,
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
    skipLibCheck: true,
    rootDir: 'src',
    outDir: 'dist',
  };
}

/** @param folder is empty. @param env what the application finds in its `.env`. */
export function writeApplication(host, folder, env) {
  const source = (name) => {
    const text = readFileSync(join(parts, name), 'utf8');
    // CommonJS is usually written without endings.
    return host.module === 'esm' ? text : text.replaceAll(/from '(\.\/.*)\.js'/g, "from '$1'");
  };
  const write = (name, text) => writeFileSync(join(folder, name), text);

  mkdirSync(join(folder, 'src'));
  for (const name of COMMON) write(`src/${name}`, source(name));
  write('src/surroundings.ts', source(`surroundings.${host.surroundings}.ts`));
  write('src/database.ts', source(`database.${host.source}.ts`));
  write('src/webhooks.ts', source(`webhooks.${host.options}.ts`));
  write('src/main.ts', source(`main.${host.platform}.ts`));
  write(
    'src/orders.spec.ts',
    source('orders.spec.ts').replace("'node:test'", `'${RUNNERS[host.test].from}'`),
  );
  const tsconfig = { compilerOptions: compilerOptionsOf(host), include: ['src'] };
  write('tsconfig.json', JSON.stringify(tsconfig, null, 2));
  write('package.json', JSON.stringify(manifestOf(host), null, 2));
  write(
    '.env',
    Object.entries(env)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
  for (const { files } of [BUILDERS[host.build], RUNNERS[host.test]])
    for (const [name, text] of Object.entries(files?.(host) ?? {})) write(name, text);
}
