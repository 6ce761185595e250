// The host applications, each of which combines parts differently. Between them they cover both module systems, both
// platforms, both databases, every package manager, builder, test runner and TypeScript version that the docs name, and what
// applications do around the webhooks.

/** Those that differ most, for `.ci/full`. */
export const SHORT = ['pnpm-swc', 'yarn-vitest'];

const BASE = {
  module: 'esm',
  typescript: '6.0.3',
  database: 'sqlite',
  source: 'webhook-database',
  options: 'for-root',
  surroundings: 'plain',
};

/** Those that differ by what stands around the webhooks are made like this. */
const AROUND = { manager: 'npm', platform: 'express', build: 'tsc', test: 'node' };

/** @type {{ name: string }[]} */
export const HOSTS = [
  // As `nest new` made applications for years: CommonJS, Express, ts-jest, types found without "exports".
  {
    name: 'nest-classic',
    manager: 'npm',
    module: 'commonjs',
    typescript: '5.9.3',
    platform: 'express',
    build: 'nest',
    test: 'ts-jest',
  },
  {
    name: 'pnpm-swc',
    manager: 'pnpm',
    module: 'commonjs',
    typescript: '5.9.3',
    platform: 'express',
    database: 'mariadb',
    options: 'config-module',
    build: 'swc',
    test: 'jest',
  },
  {
    name: 'yarn-vitest',
    manager: 'yarn',
    platform: 'fastify',
    database: 'mariadb',
    build: 'nest-swc',
    test: 'vitest',
  },
  { name: 'npm-fastify', manager: 'npm', platform: 'fastify', build: 'tsc', test: 'node' },
  {
    name: 'yarn-classic-ts-node',
    manager: 'yarn-classic',
    module: 'commonjs',
    typescript: '5.9.3',
    platform: 'fastify',
    build: 'ts-node',
    test: 'ts-node',
  },
  {
    name: 'npm-jest-esm',
    manager: 'npm',
    platform: 'express',
    database: 'mariadb',
    options: 'config-module',
    build: 'nest',
    test: 'jest',
  },
  // CommonJS as TypeScript's nodenext knows it.
  {
    name: 'pnpm-nodenext',
    manager: 'pnpm',
    module: 'commonjs',
    platform: 'fastify',
    build: 'tsc',
    test: 'vitest',
  },
  // A data source of its own, with the better-sqlite3 that TypeORM asks for. If it cannot be downloaded it is compiled as the
  // published one was, with headers from before Node 24.19 (docs/installing.md, "Database drivers").
  {
    name: 'own-sqlite',
    manager: 'npm',
    module: 'commonjs',
    typescript: '5.9.3',
    platform: 'express',
    source: 'own-sqlite',
    build: 'tsc',
    test: 'node',
    drivers: ['better-sqlite3@12.11.1'],
    headers: '24.18.1',
  },
  {
    name: 'own-mariadb',
    manager: 'pnpm',
    platform: 'fastify',
    database: 'mariadb',
    source: 'own-mariadb',
    build: 'tsc',
    test: 'vitest',
    drivers: ['mysql2@3.24.5'],
  },
  {
    name: 'npm-webpack',
    manager: 'npm',
    module: 'commonjs',
    typescript: '5.9.3',
    platform: 'express',
    database: 'mariadb',
    build: 'webpack',
    test: 'jest',
  },
  // The oldest Node and peers that the package accepts.
  {
    name: 'oldest',
    manager: 'npm',
    module: 'commonjs',
    typescript: '5.9.3',
    platform: 'express',
    options: 'config-module',
    build: 'tsc',
    test: 'node',
    node: '22.19.0',
    versions: {
      '@nestjs/common': '12.0.1',
      '@nestjs/core': '12.0.1',
      '@nestjs/event-emitter': '12.0.0',
      '@nestjs/platform-express': '12.0.1',
      '@nestjs/testing': '12.0.1',
      '@nestjs/typeorm': '12.0.1',
      rxjs: '7.8.0',
      typeorm: '1.1.0',
    },
  },
  {
    ...AROUND,
    name: 'ambient-transactions',
    module: 'commonjs',
    typescript: '5.9.3',
    database: 'mariadb',
    surroundings: 'ambient-transactions',
    packages: { 'typeorm-transactional': '0.5.0' },
  },
  {
    ...AROUND,
    name: 'cls-transactions',
    database: 'mariadb',
    platform: 'fastify',
    surroundings: 'cls-transactions',
    packages: {
      '@nestjs-cls/transactional': '3.3.0',
      '@nestjs-cls/transactional-adapter-typeorm': '1.4.1',
      'nestjs-cls': '6.3.1',
    },
  },
  {
    ...AROUND,
    name: 'cache',
    surroundings: 'cache',
    packages: { '@nestjs/cache-manager': '12.0.0', 'cache-manager': '7.2.9' },
  },
  { ...AROUND, name: 'prototypes', surroundings: 'prototypes' },
  { ...AROUND, name: 'tracing', database: 'mariadb', platform: 'fastify', surroundings: 'tracing' },
  // A server whose databases are in latin1, and a data source that an older application has had in it.
  {
    ...AROUND,
    name: 'legacy-charset',
    database: 'mariadb',
    source: 'own-mariadb',
    drivers: ['mysql2@3.24.5'],
    charset: 'latin1',
  },
].map((host) => ({ ...BASE, ...host }));
