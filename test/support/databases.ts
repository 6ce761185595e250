import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from '@jest/globals';
import { createConnection } from 'mysql2/promise';

const MYSQL_URL = process.env.TEST_MYSQL_URL ?? 'mysql://root@127.0.0.1:3306';

/** A new, empty database for one test. */
export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

export interface TestDatabaseKind {
  name: 'SQLite' | 'MariaDB';
  create(): Promise<TestDatabase>;
}

const sqlite: TestDatabaseKind = {
  name: 'SQLite',
  async create() {
    const folder = mkdtempSync(join(tmpdir(), 'webhook-test-'));
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
    const name = `webhook_test_${process.pid}_${Math.random().toString(36).slice(2, 10)}`;
    await administer(`CREATE DATABASE ${name}`);
    return { url: `${MYSQL_URL}/${name}`, drop: () => administer(`DROP DATABASE IF EXISTS ${name}`) };
  },
};

async function administer(sql: string): Promise<void> {
  const connection = await createConnection(MYSQL_URL);
  await connection.query(sql);
  await connection.end();
}

async function mariadbAnswers(): Promise<boolean> {
  try {
    await administer('SELECT 1');
    return true;
  } catch (error) {
    if (process.env.REQUIRE_MARIADB) throw error;
    process.stderr.write(`MariaDB does not answer at ${MYSQL_URL}: its half of this suite is LEFT OUT.\n`);
    return false;
  }
}

const hasMariadb = await mariadbAnswers();

/** The databases that every test of persistence runs on. */
export const databases: TestDatabaseKind[] = hasMariadb ? [sqlite, mariadb] : [sqlite];

/** For what only MariaDB does. Its tests are skipped where there is none. */
export function describeOnMariadb(name: string, tests: (kind: TestDatabaseKind) => void): void {
  const when = hasMariadb ? describe : describe.skip;
  when.each([mariadb])(name, tests);
}
