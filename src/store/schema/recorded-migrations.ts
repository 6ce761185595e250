import { setTimeout as pause } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { webhookMigrations } from '../../../migrations/index.js';
import { isAlreadyThere, isDatabaseUnavailable } from '../../platform/database-error.js';
import { withoutStatement } from '../../platform/without-statement.js';
import { namesOfMigrations, recordedMigrations } from '../recorded-migrations.js';
import { webhookMetadata } from './entities.js';

/**
 * The numbers of the migrations of the development before the first release. Some of those were taken back, and others
 * rewritten under their names. A recorded one with such a number that is not here now is one of them.
 *
 * One with a higher number that is not here is of a later version, which adds what this one does not use. It must not stop
 * this version: while instances are replaced one after another, an old one may start on the new schema. Those with a lower
 * number are the application's own, where its migrations are recorded in the same table.
 */
const DEVELOPMENT = { first: 1795219200000, last: 1795219280000 };

/** The database has tables that are not those of this version. The message says what to do. */
export class UnfitDatabaseError extends Error {}

/** The tables are those of another line of versions. */
export const leadsNowhere = (found: string) =>
  new UnfitDatabaseError(
    `${found} No migration leads from there to this version: begin with an empty database (for SQLite, another file), and ` +
      'create the webhooks anew, with their secrets if their receivers should notice nothing; or go on with the version ' +
      'that made it.',
  );

/** The error of SQLite, MariaDB and MySQL for a table that is there already. */
const TAKEN = /table ['"`]?([^'"`]+?)['"`]? already exists/i;

/** Rejects as the migrations did. @throws UnfitDatabaseError if one of the webhooks' tables was there already */
export function refuseTaken(dataSource: DataSource, error: unknown): never {
  const [, table] = TAKEN.exec((error as Error).message) ?? [];
  if (!webhookMetadata(dataSource).some(({ tableName }) => tableName === table)) throw error;
  throw new UnfitDatabaseError(
    `The webhooks need a table ${table}, and the database has one already. If it is the application's, give theirs a prefix: ` +
      "webhookDatabase(url, { tablePrefix: 'hooks_' }); the service needs a database of its own. If it is theirs, their " +
      'migrations were recorded in another table than ' +
      `${dataSource.options.migrationsTableName ?? 'migrations'}: name that one as migrationsTableName.`,
  );
}

/** How long another process may take for a migration of its own until it has recorded it. */
const OTHERS_MS = 5000;
const POLL_AGAIN_MS = 50;

/**
 * Runs the migrations, also while another process runs them on the same database, as of two that start together: whoever comes
 * second finds the table there, waits until it is recorded, and goes on behind it.
 *
 * @throws what `run` rejects with, if nothing is being recorded
 */
export async function runBesideOthers<T>(dataSource: DataSource, run: () => Promise<T>): Promise<T> {
  for (;;) {
    const { size } = await recorded(dataSource);
    try {
      return await run();
    } catch (error) {
      if (!isAlreadyThere(error) || !(await isMoreRecorded(dataSource, size))) throw error;
    }
  }
}

async function isMoreRecorded(dataSource: DataSource, before: number): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < OTHERS_MS; waitedMs += POLL_AGAIN_MS) {
    if ((await recorded(dataSource)).size > before) return true;
    await pause(POLL_AGAIN_MS);
  }
  return false;
}

const numberOf = (name: string) => Number(/\d{13}$/.exec(name)?.[0] ?? 0);

/**
 * Checks that the migrations which the database has recorded are those of released versions, before anything runs on it. A
 * database that does not answer passes: it may be back before it is needed.
 *
 * @throws UnfitDatabaseError naming them
 */
export async function checkRecorded(dataSource: DataSource): Promise<void> {
  const known = new Set([...namesOfMigrations(dataSource), ...webhookMigrations.map(({ name }) => name)]);
  const isAbandoned = (name: string) =>
    !known.has(name) && numberOf(name) >= DEVELOPMENT.first && numberOf(name) <= DEVELOPMENT.last;
  const abandoned = [...(await recorded(dataSource))].filter(isAbandoned);
  if (abandoned.length === 0) return;
  throw leadsNowhere(
    'The tables of the webhooks were made by a development version: this one does not have all migrations that ran on the ' +
      `database (${abandoned.join(', ')}).`,
  );
}

/** Whether the database has recorded each of the webhooks' migrations. */
export async function areAllRecorded(dataSource: DataSource): Promise<boolean> {
  const names = await recorded(dataSource);
  return webhookMigrations.every(({ name }) => names.has(name));
}

async function recorded(dataSource: DataSource): Promise<Set<string>> {
  try {
    return await recordedMigrations(dataSource);
  } catch (error) {
    if (isDatabaseUnavailable(error)) return new Set();
    throw withoutStatement(error);
  }
}
