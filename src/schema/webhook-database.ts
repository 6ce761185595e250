import type { TypeOrmModuleAsyncOptions } from '@nestjs/typeorm';
import type { DataSourceOptions } from 'typeorm';
import { initializeAlone, SqliteInUseError } from '../database/sqlite/sqlite-lock.js';
import { createDataSource, dataSourceOptions } from './data-source.js';
import { type WebhookEntitiesOptions, webhookEntities } from './entities.js';

/** What the data source holds beside the webhooks, and how it starts. */
export interface WebhookDatabaseOptions extends WebhookEntitiesOptions {
  /** The application's own entities, beside those of the webhooks. @default none */
  entities?: Extract<DataSourceOptions['entities'], unknown[]>;
  /** The application's own migrations, run with those of the webhooks in the order of their timestamps. @default none */
  migrations?: Extract<DataSourceOptions['migrations'], unknown[]>;
  /** Where it is kept which migrations have run. @default webhook_migration */
  migrationsTableName?: string;
  /** Whether the start runs the migrations that are pending. @default true */
  migrationsRun?: boolean;
  /** Of the data source. @default the unnamed one */
  name?: string;
}

/**
 * A data source with the webhooks in it, for `TypeOrmModule.forRootAsync`, set up as the service sets up its own: on SQLite
 * in a thread, so that a commit, which waits for the disk, holds up nothing else, in a file that is this process's alone and
 * that only its owner may read; on MySQL in UTC and utf8mb4.
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
