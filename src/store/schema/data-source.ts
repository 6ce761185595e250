import { DataSource, type DataSourceOptions } from 'typeorm';
import { webhookMigrations } from '../../../migrations/index.js';
import { urlOptionsOf, withoutOptions } from '../../platform/config/database-url-options.js';
import { loadDriver } from '../driver.js';
import { closeInTime } from '../mysql/mysql-bounds.js';
import { isSqliteFile, makePrivate } from '../sqlite/sqlite-file.js';
import { serialiseSqlite } from '../sqlite/sqlite-serial.js';
import { SqliteThread } from '../sqlite/sqlite-thread.js';
import type { WebhookConnectionOptions } from './connection-options.js';
import { driverTls } from './database-tls.js';
import { webhookEntities } from './entities.js';
import { checkRecorded, refuseTaken, runBesideOthers } from './recorded-migrations.js';

/** How many units of work may wait for a connection; further ones are refused. */
const MAX_WAITING = 2000;
/** How long a statement waits for another process that holds the file: less than a call's deadline. */
const SQLITE_LOCK_MS = 3000;

const shared = {
  migrations: webhookMigrations,
  migrationsTableName: 'webhook_migration',
  migrationsTransactionMode: 'each' as const,
};

/**
 * @param url as `readDatabaseUrl` returns it: `sqlite:PATH` (relative to the working directory) or
 * `mysql://user:pass@host:port/database?options` (or `mariadb://…`).
 * @throws Error if the driver is not installed, or the file of `ssl_ca` is gone.
 */
export function dataSourceOptions(url: string, given: WebhookConnectionOptions = {}): DataSourceOptions {
  const connection = { ...given, ...urlOptionsOf(url) };
  const { connectionLimit = 10, waitingLimit = MAX_WAITING, connectTimeoutMs = 3000 } = connection;
  const { logging, logger } = given;
  const log = { ...(logging === undefined ? {} : { logging }), ...(logger === undefined ? {} : { logger }) };
  if (url.startsWith('sqlite:')) {
    const path = url.slice('sqlite:'.length);
    // The thread could not say what is missing.
    loadDriver('sqlite-driver');
    return {
      ...shared,
      ...log,
      type: 'better-sqlite3',
      database: path,
      entities: webhookEntities('sqlite'),
      driver: SqliteThread,
      timeout: SQLITE_LOCK_MS,
      enableWAL: true,
      async prepareDatabase(database: SqliteThread) {
        await database.opened;
        // Counts for a new file only, as it must come before the first table: lets retention give space back in steps.
        await database.pragma('auto_vacuum = INCREMENTAL');
        // The driver's default, NORMAL, loses acknowledged commits when the power fails.
        await database.pragma('synchronous = FULL');
        await database.pragma('secure_delete = ON');
        // Only now is it known to be a database.
        if (isSqliteFile(path)) makePrivate(path);
      },
    };
  }
  return {
    ...shared,
    ...log,
    ...driverTls(connection.ssl),
    // TypeORM reads a MariaDB's column defaults right only under this name; otherwise the two are the same.
    type: url.startsWith('mariadb:') ? 'mariadb' : 'mysql',
    url: withoutOptions(url),
    driver: loadDriver('mysql2'),
    entities: webhookEntities('mysql'),
    charset: 'utf8mb4',
    timezone: 'Z',
    connectTimeout: connectTimeoutMs,
    // Capturing a stack trace for each statement costs more than building the statement.
    extra: {
      trace: false,
      connectionLimit,
      queueLimit: waitingLimit,
      enableKeepAlive: true,
      keepAliveInitialDelay: 10_000,
      ...given.extra,
    },
  };
}

/** The service's data source, not yet connected. It runs no migration on a database of a development version. */
export function createDataSource(options: DataSourceOptions): DataSource {
  const dataSource = new DataSource(options);
  serialiseSqlite(dataSource);
  closeInTime(dataSource);
  const run = dataSource.runMigrations.bind(dataSource);
  // TypeORM runs them by this method at the start, too.
  dataSource.runMigrations = async (options) => {
    await checkRecorded(dataSource);
    return runBesideOthers(dataSource, () => run(options)).catch((error) => refuseTaken(dataSource, error));
  };
  return dataSource;
}
