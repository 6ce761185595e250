import type { DataSource } from 'typeorm';
import type { Backend } from './backend.js';
import { mysqlBackend } from './mysql/mysql-backend.js';
import { sqliteBackend } from './sqlite/sqlite-backend.js';

/** The databases that the service runs on. MariaDB counts as `mysql`. */
export type Dialect = 'sqlite' | 'mysql';

export const BACKENDS: Readonly<Record<Dialect, Backend>> = { sqlite: sqliteBackend, mysql: mysqlBackend };

/** By the types of TypeORM's data sources. */
const DIALECTS: Readonly<Record<string, Dialect>> = {
  'better-sqlite3': 'sqlite',
  mysql: 'mysql',
  mariadb: 'mysql',
};

/** @throws Error for a data source of any other kind */
export function dialectOf({ options: { type } }: DataSource): Dialect {
  const dialect = DIALECTS[type];
  if (dialect) return dialect;
  throw new Error(
    `Webhooks cannot be kept in a data source of type ${type}: better-sqlite3, mysql or mariadb can hold them.`,
  );
}
