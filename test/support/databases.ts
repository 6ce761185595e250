import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from '@jest/globals';
import { createConnection } from 'mysql2/promise';

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
}

const sqlite: TestDatabaseKind = {
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
};

const mariadb: TestDatabaseKind = {
  name: 'MariaDB',
  async create() {
    const name = `${TEST_DATABASES}${Math.random().toString(36).slice(2, 10)}`;
    await administer(`CREATE DATABASE ${name}`);
    return { url: `${TEST_MARIADB}/${name}`, drop: () => administer(`DROP DATABASE IF EXISTS ${name}`) };
  },
};

async function administer(sql: string): Promise<void> {
  const connection = await createConnection(TEST_MARIADB ?? '');
  await connection.query(sql);
  await connection.end();
}

const hasMariadb = TEST_MARIADB !== undefined;

/** The databases that every test of persistence runs on. */
export const databases: TestDatabaseKind[] = hasMariadb ? [sqlite, mariadb] : [sqlite];

/** For what only MariaDB does. Its tests are skipped where there is none. */
export function describeOnMariadb(name: string, tests: (kind: TestDatabaseKind) => void): void {
  const when = hasMariadb ? describe : describe.skip;
  when.each([mariadb])(name, tests);
}
