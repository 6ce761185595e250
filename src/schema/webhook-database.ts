import type { TypeOrmModuleAsyncOptions } from '@nestjs/typeorm';
import type { DataSourceOptions } from 'typeorm';
import { initializeAlone, SqliteInUseError } from '../database/sqlite/sqlite-lock.js';
import { createDataSource, dataSourceOptions } from './data-source.js';
import { type WebhookEntitiesOptions, webhookEntities } from './entities.js';

/** The data source's other contents, and how it starts. */
export interface WebhookDatabaseOptions extends WebhookEntitiesOptions {
  /** The application's own entities, in addition to the webhooks'. @default none */
  entities?: Extract<DataSourceOptions['entities'], unknown[]>;
  /** The application's own migrations, run together with the webhooks' in order of their timestamps. @default none */
  migrations?: Extract<DataSourceOptions['migrations'], unknown[]>;
  /** The table that records which migrations have run. @default webhook_migration */
  migrationsTableName?: string;
  /** Whether to run pending migrations at the start. @default true */
  migrationsRun?: boolean;
  /** The data source's name. @default the unnamed one */
  name?: string;
}

/**
 * A data source with the webhooks' tables, for `TypeOrmModule.forRootAsync`, set up as the service sets up its own. SQLite
 * runs in a thread, so that a commit, which waits for the disk, blocks nothing else; its file is locked for this process
 * and readable by its owner only. MySQL uses UTC and utf8mb4.
 *
 * @param url `sqlite:PATH` (relative to the working directory), `mysql://user:pass@host:port/database` or `mariadb://…`.
 */
export function webhookDatabase(url: string, given: WebhookDatabaseOptions = {}): TypeOrmModuleAsyncOptions {
  const {
    entities = [],
    migrations = [],
    migrationsRun = true,
    migrationsTableName,
    name,
    ...naming
  } = given;
  const options = dataSourceOptions(url);
  const ours = webhookEntities(url.startsWith('sqlite:') ? 'sqlite' : 'mysql', naming);
  return {
    ...(name === undefined ? {} : { name }),
    useFactory: () => ({
      ...options,
      entities: [...ours, ...entities],
      migrations: [...(options.migrations as []), ...migrations],
      migrationsRun,
      ...(migrationsTableName === undefined ? {} : { migrationsTableName }),
      retryAttempts: 3,
      toRetry: (error) => !(error instanceof SqliteInUseError),
    }),
    dataSourceFactory: async (made) => initializeAlone(createDataSource(made as DataSourceOptions)),
  };
}
