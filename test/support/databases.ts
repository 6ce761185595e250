import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from '@jest/globals';
import { createConnection } from 'mysql2/promise';
import type { DataSource } from 'typeorm';

// Set where a run begins (run/setup.mjs).
const { TEST_MARIADB, TEST_DATABASES } = process.env;

/** A new database for one test. */
export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

export interface TestDatabaseKind {
  name: 'SQLite' | 'MariaDB';
  /** An empty one. */
  create(): Promise<TestDatabase>;
  /** One with the service's tables, as its migrations leave them. Takes a fraction of what these take. */
  createMigrated(): Promise<TestDatabase>;
}

/** Alone for what speaks no SQL. */
export const SQLITE: TestDatabaseKind = {
  name: 'SQLite',
  async create() {
    const folder = mkdtempSync(join(tmpdir(), 'sqlite-'));
    return {
      url: `sqlite:${join(folder, 'test.sqlite')}`,
      async drop() {
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
  async createMigrated() {
    const database = await SQLITE.create();
    copyFileSync(await migratedFile(), pathOf(database.url));
    return database;
  },
};

const pathOf = (url: string) => url.slice('sqlite:'.length);

const mariadb: TestDatabaseKind = {
  name: 'MariaDB',
  async create() {
    const name = `${TEST_DATABASES}${Math.random().toString(36).slice(2, 10)}`;
    await administer(`CREATE DATABASE ${name}`);
    return { url: `${TEST_MARIADB}/${name}`, drop: () => administer(`DROP DATABASE IF EXISTS ${name}`) };
  },
  async createMigrated() {
    const script = await migratedTables();
    const database = await mariadb.create();
    await administer(script, database.url);
    return database;
  },
};

async function administer(sql: string, url = TEST_MARIADB): Promise<void> {
  const connection = await createConnection({ uri: url, multipleStatements: true });
  await connection.query(sql);
  await connection.end();
}

/** Does something at its first call, once for each worker. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const migratedFile = once(async () => pathOf(await migrate(SQLITE)));
/** What makes the tables, and their rows, in another database. */
const migratedTables = once(async () => readTables(await migrate(mariadb)));

/** The URL of a new database with the service's tables. */
async function migrate(kind: TestDatabaseKind): Promise<string> {
  // Loaded only here: specs that look at a process from outside need nothing of the service's code.
  const { createDataSource, dataSourceOptions } = await import('../../src/store/schema/data-source.js');
  const { url } = await kind.create();
  const dataSource = await createDataSource(dataSourceOptions(url)).initialize();
  await dataSource.runMigrations();
  await dataSource.destroy();
  return url;
}

async function readTables(url: string): Promise<string> {
  const connection = await createConnection(url);
  const [tables] = (await connection.query('SHOW TABLES')) as unknown as [Record<string, string>[]];
  const steps = ['SET FOREIGN_KEY_CHECKS = 0'];
  for (const table of tables.flatMap((row) => Object.values(row))) {
    const [made] = (await connection.query(`SHOW CREATE TABLE ${table}`)) as unknown as [
      { 'Create Table': string }[],
    ];
    steps.push(made[0]?.['Create Table'] ?? '');
    const [rows] = await connection.query(`SELECT 1 FROM ${table} LIMIT 1`);
    const from = `${new URL(url).pathname.slice(1)}.${table}`;
    if ((rows as unknown[]).length > 0) steps.push(`INSERT INTO ${table} SELECT * FROM ${from}`);
  }
  await connection.end();
  return steps.join(';\n');
}

/** The names of a database's tables, in order. */
export async function tablesOf(dataSource: DataSource): Promise<string[]> {
  const rows = await dataSource.query<{ name: string }[]>(
    dataSource.options.type === 'better-sqlite3'
      ? `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name`
      : 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY 1',
  );
  return rows.map(({ name }) => name);
}

const hasMariadb = TEST_MARIADB !== undefined;

/** The databases that every test of persistence runs on. */
export const databases: TestDatabaseKind[] = hasMariadb ? [SQLITE, mariadb] : [SQLITE];

/** For what only MariaDB does. Its tests are skipped where there is none. */
export function describeOnMariadb(name: string, tests: (kind: TestDatabaseKind) => void): void {
  const when = hasMariadb ? describe : describe.skip;
  when.each([mariadb])(name, tests);
}
