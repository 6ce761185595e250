import type { FactoryProvider, ModuleMetadata } from '@nestjs/common';
import type { DataSourceOptions } from 'typeorm';
import { z } from 'zod';
import { flag } from '../../platform/config/fields.js';
import type { Fields } from '../../platform/config/given-options.js';
import { connectionFields, type WebhookConnectionOptions } from './connection-options.js';
import type { WebhookEntitiesOptions } from './entities.js';

/** Contents of the data source that are known at import. */
interface WebhookDatabaseContents extends WebhookEntitiesOptions {
  /** The data source's name. @default the unnamed one */
  name?: string;
  /** The application's own entities, in addition to the webhooks'. @default none */
  entities?: Extract<DataSourceOptions['entities'], unknown[]>;
  /** Whether to add all entities that the application registers by `TypeOrmModule.forFeature`. @default false */
  autoLoadEntities?: boolean;
  /** The application's own subscribers. @default none */
  subscribers?: Extract<DataSourceOptions['subscribers'], unknown[]>;
  /** The application's own migrations, run together with the webhooks' in order of their timestamps. @default none */
  migrations?: Extract<DataSourceOptions['migrations'], unknown[]>;
  /** The table that records which migrations have run. @default webhook_migration, after the table prefix */
  migrationsTableName?: string;
}

/** The data source's other contents, how it connects, and how it starts. */
export interface WebhookDatabaseOptions extends WebhookDatabaseContents, WebhookConnectionOptions {}

/**
 * What `useFactory` returns: the URL, alone or with connection options, which replace those beside `useFactory`. An
 * undefined URL is refused at the start.
 */
export type WebhookDatabaseLateOptions =
  | string
  | undefined
  | (WebhookConnectionOptions & { url: string | undefined } & {
      [Name in keyof WebhookDatabaseContents]?: never;
    });

/** Takes the URL of the database late, such as from a configuration service. */
export interface WebhookDatabaseAsyncOptions extends WebhookDatabaseOptions, Pick<ModuleMetadata, 'imports'> {
  /** Tokens of what is passed to `useFactory`. @default none */
  inject?: FactoryProvider['inject'];
  /** Called once, when the application starts. */
  // biome-ignore lint/suspicious/noExplicitAny: what is injected is of any type
  useFactory: (...injected: any[]) => WebhookDatabaseLateOptions | Promise<WebhookDatabaseLateOptions>;
}

const text = z.string({ error: 'must be a text' }).min(1, { error: 'must not be empty' }).optional();
const list = z.array(z.unknown(), { error: 'must be an array' }).optional();

export const contentFields: Fields = {
  name: text,
  tablePrefix: z.string({ error: 'must be a text' }).optional(),
  entities: list,
  autoLoadEntities: flag.optional(),
  subscribers: list,
  migrations: list,
  migrationsTableName: text,
};

export const databaseFields: Fields = { ...contentFields, ...connectionFields };

export const asyncFields: Fields = {
  ...databaseFields,
  imports: list,
  inject: list,
  useFactory: z.custom((given) => typeof given === 'function', {
    error:
      "is required: a function that returns the URL, such as (config: ConfigService) => config.get('DATABASE_URL')",
  }),
};
