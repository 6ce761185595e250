import type { Socket } from 'node:net';
import type { DataSource } from 'typeorm';

/** How long a statement waits for a lock: twice that, in the batch before and in its own, is less than a call may take. */
const LOCK_SECONDS = 2;
/** A statement that brings back nothing for so long never will. */
const SILENT_MS = 10_000;
/** How long a data source may take to close, while statements are under way. */
const CLOSE_MS = 1000;

/** What is used here of mysql2's connection, which TypeORM does not show. */
interface Connection {
  stream: Socket;
  /** What is under way. */
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

/**
 * From here on no statement waits for a lock, or for a server that has gone silent, longer than it is worth. Not for
 * migrations, which may take their time, nor for a host's connections, which are its own.
 */
export function boundWaits(dataSource: DataSource): void {
  const bounded = new WeakSet<Connection>();
  poolOf(dataSource)?.on('acquire', (connection) => {
    if (bounded.has(connection)) return;
    bounded.add(connection);
    const { stream } = connection;
    // Sent before whatever the connection was taken for.
    connection.query(
      `SET SESSION innodb_lock_wait_timeout = ${LOCK_SECONDS}, lock_wait_timeout = ${LOCK_SECONDS}`,
      () => {},
    );
    stream.setTimeout(SILENT_MS).on('timeout', () => {
      if (connection._command) end(connection);
    });
  });
}

const closing = new WeakSet<DataSource>();

/**
 * Closes a data source in time, though statements are under way that a silent server never answers.
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
      // Those that were idle have said goodbye by then; where nobody takes that, their sockets would stay for long.
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
  // Whoever waits for it hears of it; nobody else is to.
  connection.on('error', () => {});
  connection.stream.destroy(silent());
}

const silent = () => Object.assign(new Error('The database has gone silent.'), { code: 'ETIMEDOUT' });
