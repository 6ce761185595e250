import type { TypeOrmModuleAsyncOptions, TypeOrmModuleOptions } from '@nestjs/typeorm';
import type { DataSourceOptions } from 'typeorm';
import { ConfigError } from '../../platform/config/config-error.js';
import { readDatabaseUrl } from '../../platform/config/database-url.js';
import { isOptions, kindOf, problemsOf, refuse } from '../../platform/config/given-options.js';
import { initializeAlone, SqliteInUseError } from '../sqlite/sqlite-lock.js';
import { checkTablePrefix } from '../table-prefix.js';
import { connectionFields, misfitsOf, type WebhookConnectionOptions } from './connection-options.js';
import { createDataSource, dataSourceOptions } from './data-source.js';
import { webhookEntities } from './entities.js';
import { UnfitDatabaseError } from './recorded-migrations.js';
import {
  asyncFields,
  contentFields,
  databaseFields,
  type WebhookDatabaseAsyncOptions,
  type WebhookDatabaseOptions,
} from './webhook-database-options.js';

const OF = 'webhookDatabase: ';
const AT_IMPORT = {
  names: Object.keys(contentFields),
  message: 'has to be known at import; write it beside useFactory, not in its result',
};
const URL_ALONE = {
  names: ['url'],
  message: 'goes into what useFactory returns; without useFactory, write webhookDatabase(url, { … })',
};

/** Returns the arguments with which {@link webhookDatabase} makes a data source, from those it was called with. */
export type DatabasePlace = (...given: Place) => Place;

type Place = [url: string, options: WebhookDatabaseOptions];

/** Injection token of the {@link DatabasePlace}, so that a test can replace it. */
export const DATABASE_PLACE = Symbol('DATABASE_PLACE');

const asGiven: DatabasePlace = (...given) => given;

/**
 * A data source with the webhooks' tables, for `TypeOrmModule.forRootAsync`, set up as the service sets up its own. SQLite
 * runs in a thread, so that a commit, which waits for the disk, blocks nothing else; its file is locked for this process
 * and readable by its owner only. MySQL uses UTC and utf8mb4.
 *
 * @param url `sqlite:PATH` (relative to the working directory), `mysql://user:pass@host:port/database` or `mariadb://…`. The
 * last two may end with options, such as `?ssl=true&connection_limit=20`.
 * @throws ConfigError saying what to write instead, if the URL is missing or wrong, or an option is.
 */
export function webhookDatabase(
  url: string | undefined,
  options?: WebhookDatabaseOptions,
): TypeOrmModuleAsyncOptions;
/**
 * The same, with a URL that comes late, such as from a configuration service.
 *
 * @throws ConfigError if an option is wrong. What `useFactory` returns is checked at the start.
 */
export function webhookDatabase(options: WebhookDatabaseAsyncOptions): TypeOrmModuleAsyncOptions;
export function webhookDatabase(
  first: string | undefined | WebhookDatabaseAsyncOptions,
  given: WebhookDatabaseOptions = {},
): TypeOrmModuleAsyncOptions {
  if (isOptions(first) && !(first instanceof URL)) return late(first as WebhookDatabaseAsyncOptions);
  if (!isOptions(given))
    throw new ConfigError([`${OF}needs an object of options after the URL, not ${kindOf(given)}`]);
  const url = readUrl(first);
  refuse(problemsOf(databaseFields, given), OF);
  refuse(misfitsOf(url, given), OF);
  const { tablePrefix = '' }: WebhookDatabaseOptions = given;
  checkTablePrefix(tablePrefix);
  return moduleOptions(given, { read: () => [url, given] });
}

function late(given: WebhookDatabaseAsyncOptions): TypeOrmModuleAsyncOptions {
  refuse(problemsOf(asyncFields, given as never, URL_ALONE), OF);
  const { imports = [], inject = [], useFactory, ...options } = given;
  return moduleOptions(options, {
    imports,
    inject,
    async read(...injected) {
      const { url, ...connection } = lateOptions(await useFactory(...injected));
      return [url, { ...options, ...connection }];
    },
  });
}

/** @param returned by the application's `useFactory`. */
function lateOptions(returned: unknown): WebhookConnectionOptions & { url: string } {
  if (!isOptions(returned) || returned instanceof URL) return { url: readUrl(returned) };
  const { url, ...given } = returned;
  // An undefined option is one that was left out, so that it does not take away TLS, for example.
  const connection = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  refuse(problemsOf(connectionFields, connection, AT_IMPORT), OF);
  return { ...connection, url: readUrl(url) };
}

/** @throws ConfigError, which does not quote the URL: it may hold a password. */
function readUrl(given: unknown): string {
  const fail = (message: string): never => {
    throw new ConfigError([`${OF}the URL of the database ${message}`]);
  };
  if (given instanceof URL) fail('must be a text; pass its href');
  if (given === undefined || given === null || (typeof given === 'string' && given.trim() === '')) {
    const is = typeof given === 'string' ? 'empty' : given;
    return fail(
      `is ${is}; write sqlite:PATH or mysql://user:password@host:3306/database. If it comes from the environment, see that the variable is set and read before this line, or take it late: webhookDatabase({ useFactory })`,
    );
  }
  if (typeof given !== 'string') {
    return fail(`must be a text, such as sqlite:PATH, and not ${kindOf(given)}`);
  }
  try {
    return readDatabaseUrl(given.trim());
  } catch (error) {
    return fail((error as Error).message);
  }
}

/** What TypeORM needs to make the data source. */
function optionsOf(url: string, given: WebhookDatabaseOptions): TypeOrmModuleOptions {
  refuse(misfitsOf(url, given), OF);
  const { entities = [], migrations = [], subscribers = [], tablePrefix = '' } = given;
  // Each prefix has a table of its own, so that two applications with different ones can share a database.
  const { migrationsTableName = `${tablePrefix}webhook_migration` } = given;
  const { migrationsRun = true, autoLoadEntities = false } = given;
  const options = dataSourceOptions(url, given);
  return {
    ...options,
    entities: [
      ...webhookEntities(url.startsWith('sqlite:') ? 'sqlite' : 'mysql', { tablePrefix }),
      ...entities,
    ],
    autoLoadEntities,
    subscribers,
    migrations: [...(options.migrations as []), ...migrations],
    migrationsRun,
    migrationsTableName,
    retryAttempts: 3,
    toRetry: (error) => !(error instanceof SqliteInUseError || error instanceof UnfitDatabaseError),
  };
}

/** Where the URL and the options come from. */
interface Source extends Pick<TypeOrmModuleAsyncOptions, 'imports' | 'inject'> {
  read: (...injected: unknown[]) => Place | Promise<Place>;
}

const moduleOptions = (
  { name }: WebhookDatabaseOptions,
  { imports = [], inject = [], read }: Source,
): TypeOrmModuleAsyncOptions => ({
  ...(name === undefined ? {} : { name }),
  imports,
  extraProviders: [{ provide: DATABASE_PLACE, useValue: asGiven }],
  inject: [...inject, DATABASE_PLACE],
  async useFactory(...injected: unknown[]) {
    const place = (injected[inject.length] ?? asGiven) as DatabasePlace;
    return optionsOf(...place(...(await read(...injected.slice(0, inject.length)))));
  },
  dataSourceFactory: async (made) => initializeAlone(createDataSource(made as DataSourceOptions)),
});
