import { randomBytes } from 'node:crypto';
import { createConnection } from 'mysql2/promise';

const DATABASE = 'webhook_run_';

/**
 * Finds the server where the run may create databases, takes away what runs left there that are over, and says in the
 * environment where it is and how the run's databases begin. A run that lives holds a lock of that name.
 *
 * @returns what to say at the end if there is none.
 */
export async function beginDatabases() {
  const url = process.env.TEST_MYSQL_URL ?? 'mysql://root@127.0.0.1:3306';
  const prefix = `${DATABASE}${randomBytes(4).toString('hex')}_`;
  delete process.env.TEST_MARIADB;
  delete process.env.TEST_DATABASES;
  let connection;
  try {
    connection = await createConnection(url);
    // The server would end a connection that says nothing for long, and the lock with it.
    await connection.query('SET SESSION wait_timeout = 86400');
    await connection.query('SELECT GET_LOCK(?, 0)', [prefix]);
    await connection.query(`CREATE DATABASE ${prefix}`);
  } catch (error) {
    await connection?.end().catch(() => {});
    const why = reason(url, error);
    if (process.env.REQUIRE_MARIADB) throw new Error(why);
    return { leftOut: [`LEFT OUT: all that runs on MariaDB. ${why}`], end() {} };
  }
  process.env.TEST_MARIADB = url;
  process.env.TEST_DATABASES = prefix;
  await dropLeftDatabases(connection);
  return { leftOut: [], end: () => connection.destroy() };
}

// The URL may hold a password.
const reason = (url, error) =>
  `No MariaDB at ${URL.canParse(url) ? new URL(url).host : 'what is no URL'} gives the tests databases ` +
  `(${error.code ?? error.message}${error.sqlMessage ? `: ${error.sqlMessage}` : ''}). Start one, or set TEST_MYSQL_URL to ` +
  'mysql://user:password@host:port of one where the user may create and drop databases.';

async function dropLeftDatabases(connection) {
  for (const name of await databasesOf(connection, DATABASE)) {
    const [prefix] = new RegExp(`^${DATABASE}[0-9a-f]{8}_`).exec(name) ?? [];
    if (!prefix) continue;
    const [[{ isFree }]] = await connection.query('SELECT IS_FREE_LOCK(?) AS isFree', [prefix]);
    if (isFree) await dropDatabase(connection, name);
  }
}

/** Drops those whose names begin so. */
export async function dropDatabases(url, prefix) {
  const connection = await createConnection(url);
  for (const name of await databasesOf(connection, prefix)) await dropDatabase(connection, name);
  await connection.end();
}

async function databasesOf(connection, prefix) {
  const [rows] = await connection.query('SHOW DATABASES');
  return rows.map(({ Database }) => Database).filter((name) => name.startsWith(prefix));
}

const dropDatabase = (connection, name) => connection.query(`DROP DATABASE IF EXISTS ${name}`);
