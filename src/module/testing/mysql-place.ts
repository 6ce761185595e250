import type { Connection, RowDataPacket } from 'mysql2/promise';
import { urlOptionsOf, withoutOptions } from '../../platform/config/database-url-options.js';
import { errnoOf } from '../../platform/driver-error.js';
import { driverTls } from '../../store/schema/database-tls.js';
import { leftOverName, NAME_LIKE, newPlaceName } from './place-name.js';

/** Where the tables of one test are. */
export interface Place {
  url: string;
  /** Empty if the test has the database to itself. */
  tablePrefix: string;
  drop(): Promise<void>;
}

/** How long a drop waits for an open transaction on the tables. The server's own limit is a day or more. */
const LOCK_SECONDS = 5;
/** The server's error numbers. */
const ACCESS_DENIED = 1044;
const LOCKED = 1205;

/** Makes a database; or, if the user may not, chooses a table prefix in the database of the URL. */
export function createMysqlPlace(url: string): Promise<Place> {
  return onServer(url, async (server) => {
    const now = await timeOf(server);
    const name = newPlaceName(now);
    if (await isCreated(server, name)) {
      await dropOldDatabases(server, now).catch(ignored);
      const drop = () => dropWith(url, (again) => again.query(`DROP DATABASE IF EXISTS ${name}`));
      return { url: urlOf(url, name), tablePrefix: '', drop };
    }
    const database = decodeURIComponent(new URL(url).pathname.slice(1));
    await dropOldTables(server, database, now).catch(ignored);
    const drop = () =>
      dropWith(url, (again) => dropTables(again, database, (table) => table.startsWith(`${name}_`)));
    return { url, tablePrefix: `${name}_`, drop };
  });
}

/** What an earlier test left behind must not fail this one. */
const ignored = () => {};

function urlOf(url: string, database: string): string {
  const parsed = new URL(url);
  parsed.pathname = `/${database}`;
  return parsed.href;
}

/** Connects without a database, because the user may not have the right to use it. */
async function onServer<T>(url: string, work: (server: Connection) => Promise<T>): Promise<T> {
  // Imported late: an application on SQLite does not have this driver.
  const { createConnection } = await import('mysql2/promise');
  const uri = withoutOptions(urlOf(url, '')).replace(/^mariadb:/, 'mysql:');
  const server = await createConnection({ uri, ...driverTls(urlOptionsOf(url).ssl) });
  try {
    await server.query(`SET SESSION lock_wait_timeout = ${LOCK_SECONDS}`);
    return await work(server);
  } finally {
    await server.end();
  }
}

async function dropWith(url: string, drop: (server: Connection) => Promise<unknown>): Promise<void> {
  try {
    await onServer(url, drop);
  } catch (error) {
    if (errnoOf(error) !== LOCKED) throw error;
    throw new Error('The test database is still in use: call "await app.close()" before "drop()".', {
      cause: error,
    });
  }
}

async function isCreated(server: Connection, name: string): Promise<boolean> {
  try {
    await server.query(`CREATE DATABASE ${name}`);
    return true;
  } catch (error) {
    if (errnoOf(error) !== ACCESS_DENIED) throw error;
    return false;
  }
}

async function dropOldDatabases(server: Connection, now: number): Promise<void> {
  const databases = await namesOf(
    server,
    'SELECT SCHEMA_NAME AS name FROM information_schema.SCHEMATA WHERE SCHEMA_NAME LIKE ?',
    [NAME_LIKE],
  );
  for (const name of databases) {
    if (leftOverName(name, now) === name) await server.query(`DROP DATABASE IF EXISTS ${name}`);
  }
}

const dropOldTables = (server: Connection, database: string, now: number) =>
  dropTables(server, database, (table) => leftOverName(table, now) !== null);

async function dropTables(
  server: Connection,
  database: string,
  isDropped: (table: string) => boolean,
): Promise<void> {
  const tables = await namesOf(
    server,
    'SELECT TABLE_NAME AS name FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME LIKE ?',
    [database, NAME_LIKE],
  );
  const dropped = tables.filter(isDropped);
  if (dropped.length === 0) return;
  await server.query('SET SESSION foreign_key_checks = 0');
  const names = dropped.map((table) => `${quoted(database)}.${quoted(table)}`);
  await server.query(`DROP TABLE IF EXISTS ${names.join(', ')}`);
}

const quoted = (name: string) => `\`${name.replaceAll('`', '``')}\``;

async function namesOf(server: Connection, sql: string, parameters: string[]): Promise<string[]> {
  const [rows] = await server.query<RowDataPacket[]>(sql, parameters);
  return rows.map(({ name }) => String(name));
}

/** By the server's clock, because the machines that run tests on it may disagree. In epoch milliseconds. */
async function timeOf(server: Connection): Promise<number> {
  const [[row]] = await server.query<RowDataPacket[]>('SELECT UNIX_TIMESTAMP() AS seconds');
  return Number(row?.seconds) * 1000;
}
