import type { DataSourceOptions } from 'typeorm';
import { z } from 'zod';
import {
  hasAddress,
  poolFields,
  type UrlOptions,
  urlOptionsOf,
} from '../../platform/config/database-url-options.js';
import { flag } from '../../platform/config/fields.js';
import type { Fields, OptionProblem } from '../../platform/config/given-options.js';
import { checksIdentity, type DatabaseTls, tlsField } from './database-tls.js';

/** How to connect to the database. May come late, together with its URL. */
export interface WebhookConnectionOptions {
  /** TLS to MySQL or MariaDB: `true`, or such as `{ ca }`. The certificate is checked in either case. @default no TLS */
  ssl?: boolean | DatabaseTls;
  /** How many connections to MySQL or MariaDB are open at most: 1 to 10000. @default 10 */
  connectionLimit?: number;
  /** How many units of work may wait for a connection; further ones are refused: 1 to 1000000. @default 2000 */
  waitingLimit?: number;
  /** How long connecting may take, in milliseconds: 100 to 600000. @default 3000 */
  connectTimeoutMs?: number;
  /** Further connection options of mysql2, such as `{ socketPath }`. They win over all others. @default none */
  extra?: Record<string, unknown>;
  /** What TypeORM logs. Statements contain records and sealed secrets. @default errors of the schema only */
  logging?: DataSourceOptions['logging'];
  /** Where TypeORM logs to. @default the console */
  logger?: DataSourceOptions['logger'];
  /** Whether to run pending migrations at the start. @default true */
  migrationsRun?: boolean;
}

const SERVER_ONLY = {
  ssl: tlsField,
  connectionLimit: poolFields.connectionLimit.optional(),
  waitingLimit: poolFields.waitingLimit.optional(),
  connectTimeoutMs: poolFields.connectTimeoutMs.optional(),
  extra: z.looseObject({}, { error: 'must be an object of connection options of mysql2' }).optional(),
};

export const connectionFields: Fields = {
  ...SERVER_ONLY,
  logging: z.unknown().optional(),
  logger: z.unknown().optional(),
  migrationsRun: flag.optional(),
};

/** What does not fit the database with this URL. An option in both is refused, as the other could have been meant. */
export function misfitsOf(url: string, given: WebhookConnectionOptions): OptionProblem[] {
  const problem = (path: string, message: string) => ({ path, message, isName: false });
  if (url.startsWith('sqlite:')) {
    const useless = (Object.keys(SERVER_ONLY) as (keyof typeof SERVER_ONLY)[]).filter((name) => given[name]);
    return useless.map((name) =>
      problem(
        name,
        'has no meaning for SQLite, which has no connections; leave it out, or use MySQL or MariaDB',
      ),
    );
  }
  const inUrl = Object.keys(urlOptionsOf(url)) as (keyof UrlOptions)[];
  const twice = inUrl.filter((name) => given[name] !== undefined);
  if (twice.length > 0) {
    return twice.map((name) => problem(name, 'is in the URL as well; set it in one of the two'));
  }
  const { ssl } = given;
  if (!ssl || !checksIdentity(ssl === true ? {} : ssl) || !hasAddress(url)) return [];
  return [
    problem(
      'ssl',
      "cannot check a certificate against an IP address; write the host's name in the URL, or set ssl: { verifyIdentity: false }",
    ),
  ];
}
