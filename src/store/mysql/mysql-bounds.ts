import type { Socket } from 'node:net';
import type { DataSource } from 'typeorm';
import { type LimitedPool, makeDoWithFewer } from './fewer-connections.js';

/** How long a statement waits for a lock. A call may wait twice, in the batch before its own too, and still meet its deadline. */
const LOCK_SECONDS = 2;
/** How long the server lets a process that stands still, or is cut off, keep what its open transaction has locked. */
const IDLE_SECONDS = 10;
/** A connection that is silent for this long during a statement is given up. */
const SILENT_MS = 10_000;
/** How long closing a data source waits for running statements. */
const CLOSE_MS = 1000;

/** The part of mysql2's connection that is used here; TypeORM does not expose it. */
interface Connection {
  stream: Socket;
  /** The running statement. */
  _command?: unknown;
  query(sql: string, done: () => void): void;
  on(event: 'error', listener: () => void): void;
}

interface Pool {
  _allConnections: { toArray(): Connection[] };
  on(event: 'acquire', listener: (connection: Connection) => void): void;
}

const poolOf = ({ driver, options }: DataSource): Pool | undefined =>
  options.type === 'mysql' || options.type === 'mariadb'
    ? (driver as unknown as { pool?: Pool }).pool
    : undefined;

const readCommitted = new WeakSet<DataSource>();

/** Whether every transaction of the data source is READ COMMITTED without a statement that says so. */
export const isReadCommitted = (dataSource: DataSource) => readCommitted.has(dataSource);

/**
 * From here on, limits how long statements wait for a lock or for a silent server, and MariaDB for a silent transaction; makes
 * READ COMMITTED the default, commits single statements, and sees what other nodes of Galera have committed, whatever the
 * server's defaults are; and makes do with fewer connections than it wants.
 * Call it after the migrations, which may take longer, and not on a host's data source, whose connections are the host's to
 * configure.
 */
export function boundWaits(dataSource: DataSource): void {
  const bounded = new WeakSet<Connection>();
  readCommitted.add(dataSource);
  const pool = poolOf(dataSource);
  if (pool) makeDoWithFewer(pool as unknown as LimitedPool);
  pool?.on('acquire', (connection) => {
    if (bounded.has(connection)) return;
    bounded.add(connection);
    const { stream } = connection;
    // Queued ahead of the statement the connection was acquired for.
    connection.query(
      `SET SESSION innodb_lock_wait_timeout = ${LOCK_SECONDS}, lock_wait_timeout = ${LOCK_SECONDS}, autocommit = 1`,
      () => {},
    );
    connection.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED', () => {});
    // MariaDB only: MySQL refuses it, and keeps the locks until it notices that the connection is lost.
    connection.query(`SET SESSION idle_transaction_timeout = ${IDLE_SECONDS}`, () => {});
    // Galera, which is MariaDB's: a statement sees what other nodes have committed before, above all after a failover.
    connection.query('SET SESSION wsrep_sync_wait = 7', () => {});
    stream.setTimeout(SILENT_MS).on('timeout', () => {
      if (connection._command) end(connection);
    });
  });
}

const closing = new WeakSet<DataSource>();

/**
 * Makes closing a data source end in time, even if a silent server never answers running statements.
 *
 * Does nothing on SQLite, or when called again.
 */
export function closeInTime(dataSource: DataSource, withinMs = CLOSE_MS): void {
  const { driver, options } = dataSource;
  if (options.type === 'better-sqlite3' || closing.has(dataSource)) return;
  closing.add(dataSource);
  const disconnect = driver.disconnect.bind(driver);
  driver.disconnect = async () => {
    const open = poolOf(dataSource)?._allConnections.toArray() ?? [];
    const cut = new Promise<void>((resolve) => {
      // Idle connections have sent their goodbye by then; a silent server would keep their sockets open for long.
      const timer = setTimeout(() => {
        for (const connection of open) end(connection);
        resolve();
      }, withinMs);
      timer.unref();
    });
    const closed = disconnect();
    closed.catch(() => undefined);
    await Promise.race([closed, cut]);
  };
}

function end(connection: Connection): void {
  // The waiting statement gets the error; without a listener the event would crash the process.
  connection.on('error', () => {});
  connection.stream.destroy(silent());
}

const silent = () => Object.assign(new Error('The database has gone silent.'), { code: 'ETIMEDOUT' });
