import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createConnection } from 'mysql2/promise';
import { inherited } from './child.js';
import { atEnd } from './cleanup.js';
import { MIGRATE } from './service.js';

export const DATABASE_KINDS = ['sqlite', 'mariadb'] as const;
export type DatabaseKind = (typeof DATABASE_KINDS)[number];

const MYSQL_URL = process.env.BENCH_MYSQL_URL ?? 'mysql://root@127.0.0.1:3306';

/** The database of one measurement, accessed from outside the service. */
export interface BenchDatabase {
  kind: DatabaseKind;
  url: string;
  query<Row>(sql: string, parameters?: (string | number)[]): Promise<Row[]>;
  /** Flushes the server's dirty pages to its files, so this does not happen in the next measurement. */
  flush(): Promise<void>;
  drop(): Promise<void>;
}

/** Creates an empty database without a schema. @param server of MariaDB. */
export async function createDatabase(kind: DatabaseKind, server = MYSQL_URL): Promise<BenchDatabase> {
  const database = kind === 'sqlite' ? await createSqlite() : await createMariadb(server);
  const forget = atEnd(database.drop);
  const drop = () => {
    forget();
    return database.drop();
  };
  return { ...database, drop };
}

export function migrate(url: string, env: Record<string, string>): void {
  execFileSync(process.execPath, [MIGRATE, 'run'], {
    env: { ...inherited(), ...env, DATABASE_URL: url },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

async function createSqlite(): Promise<BenchDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'webhook-bench-'));
  const file = join(folder, 'bench.sqlite');
  let opened: DatabaseSync | null = null;
  const query = async <Row>(sql: string, parameters: (string | number)[] = []) => {
    opened ??= new DatabaseSync(file, { timeout: 60_000 });
    return opened.prepare(sql).all(...parameters) as Row[];
  };
  return {
    kind: 'sqlite',
    url: `sqlite:${file}`,
    query,
    async flush() {
      await query('PRAGMA wal_checkpoint(TRUNCATE)');
    },
    async drop() {
      opened?.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function createMariadb(server: string): Promise<BenchDatabase> {
  const name = `webhook_bench_${process.pid}_${Math.random().toString(36).slice(2, 8)}`;
  const admin = await createConnection(server);
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.query(`USE ${name}`);
  const query = async <Row>(sql: string, parameters: (string | number)[] = []) => {
    const [rows] = await admin.query(sql, parameters);
    return rows as Row[];
  };
  return {
    kind: 'mariadb',
    url: `${server}/${name}`,
    query,
    async flush() {
      const tables = await query<{ name: string }>(
        'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()',
      );
      await query(`FLUSH TABLES ${tables.map((table) => table.name).join(', ')} FOR EXPORT`);
      await query('UNLOCK TABLES');
    },
    async drop() {
      await admin.query(`DROP DATABASE IF EXISTS ${name}`);
      await admin.end();
    },
  };
}

export async function mariadbVersion(): Promise<string | null> {
  try {
    const connection = await createConnection(MYSQL_URL);
    const [rows] = await connection.query('SELECT VERSION() AS version');
    await connection.end();
    return (rows as { version: string }[])[0]?.version ?? null;
  } catch {
    return null;
  }
}
