import type { TypeOrmModuleAsyncOptions, TypeOrmModuleOptions } from '@nestjs/typeorm';
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

/** Returns the arguments with which {@link webhookDatabase} makes a data source, from those it was called with. */
export type DatabasePlace = (
  url: string,
  options: WebhookDatabaseOptions,
) => [url: string, options: WebhookDatabaseOptions];

/** Injection token of the {@link DatabasePlace}, so that a test can replace it. */
export const DATABASE_PLACE = Symbol('DATABASE_PLACE');

const asGiven: DatabasePlace = (...given) => given;

/**
 * A data source with the webhooks' tables, for `TypeOrmModule.forRootAsync`, set up as the service sets up its own. SQLite
 * runs in a thread, so that a commit, which waits for the disk, blocks nothing else; its file is locked for this process
 * and readable by its owner only. MySQL uses UTC and utf8mb4.
 *
 * @param url `sqlite:PATH` (relative to the working directory), `mysql://user:pass@host:port/database` or `mariadb://…`.
 */
export function webhookDatabase(url: string, given: WebhookDatabaseOptions = {}): TypeOrmModuleAsyncOptions {
  const { name } = given;
  return {
    ...(name === undefined ? {} : { name }),
    extraProviders: [{ provide: DATABASE_PLACE, useValue: asGiven }],
    inject: [DATABASE_PLACE],
    useFactory: (place: DatabasePlace) => optionsOf(...place(url, given)),
    dataSourceFactory: async (made) => initializeAlone(createDataSource(made as DataSourceOptions)),
  };
}

function optionsOf(url: string, given: WebhookDatabaseOptions): TypeOrmModuleOptions {
  const { entities = [], migrations = [], migrationsRun = true, migrationsTableName, ...naming } = given;
  const options = dataSourceOptions(url);
  const ours = webhookEntities(url.startsWith('sqlite:') ? 'sqlite' : 'mysql', naming);
  return {
    ...options,
    entities: [...ours, ...entities],
    migrations: [...(options.migrations as []), ...migrations],
    migrationsRun,
    ...(migrationsTableName === undefined ? {} : { migrationsTableName }),
    retryAttempts: 3,
    toRetry: (error) => !(error instanceof SqliteInUseError),
  };
}
