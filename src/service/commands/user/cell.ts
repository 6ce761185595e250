import { existsSync } from 'node:fs';
import { existingDevelopmentKeys } from '../../../platform/config/encryption-key-file.js';
import type { ServiceConfig } from '../../../platform/config/service-config.js';
import { isDatabaseNotOpened } from '../../../platform/database-error.js';
import { Vault, type VaultKey } from '../../../platform/secret/vault.js';
import { Database } from '../../../store/database.js';
import { boundWaits } from '../../../store/mysql/mysql-bounds.js';
import { createDataSource, dataSourceOptions } from '../../../store/schema/data-source.js';
import { checkRecorded, UnfitDatabaseError } from '../../../store/schema/recorded-migrations.js';
import { isSqliteFile } from '../../../store/sqlite/sqlite-file.js';
import { initializeAlone } from '../../../store/sqlite/sqlite-lock.js';
import { EncryptionKeyRepository } from '../../../webhook/secret/encryption-key.repository.js';
import { EncryptionKeyCheck } from '../../../webhook/secret/encryption-key-check.js';
import { Refusal } from './refusal.js';

const MIGRATION_CHECK_MS = 5000;

export const encryptionKeysOf = ({ encryptionKeys }: ServiceConfig): VaultKey[] =>
  encryptionKeys ?? existingDevelopmentKeys();

/**
 * Runs `work` on the database of this cell. One in SQLite must not be in use by the service, unless it is only read.
 *
 * @throws Refusal if the database is not there, or older than this version
 */
export async function onDatabase<T>(
  { databaseUrl }: ServiceConfig,
  access: 'read' | 'write',
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const options = dataSourceOptions(databaseUrl);
  if (isSqliteFile(options.database) && !existsSync(options.database))
    throw new Refusal(`There is no database ${options.database}. See whether DATABASE_URL is right.`);
  const made = createDataSource(options);
  const dataSource = await (access === 'read' ? made.initialize() : initializeAlone(made)).catch(notOpened);
  try {
    boundWaits(dataSource);
    const database = new Database(dataSource);
    await checkRecorded(dataSource).catch(refused);
    if (await database.hasPendingMigrations(MIGRATION_CHECK_MS))
      throw new Refusal(
        'The database schema is behind this version. See whether DATABASE_URL is right; if it is, run "npm run migration:run" first.',
      );
    return await work(database);
  } finally {
    await dataSource.destroy();
  }
}

function refused(error: unknown): never {
  throw error instanceof UnfitDatabaseError ? new Refusal(error.message) : error;
}

function notOpened(error: unknown): never {
  throw isDatabaseNotOpened(error)
    ? new Refusal(`The database cannot be opened: ${(error as Error).message}`)
    : error;
}

/**
 * What opens and seals in this cell. A key that no service of the cell has run with yet may be that of another cell, and
 * what is sealed with that could not be read here.
 *
 * @throws Refusal, or ConfigError if the keys are not those that the database was written with.
 */
export async function checkedVault(database: Database, keys: VaultKey[]): Promise<Vault> {
  const vault = new Vault(keys);
  const repository = new EncryptionKeyRepository(database);
  const known = new Set((await repository.all()).map(({ id }) => id));
  const strange = keys.find(({ id }) => !known.has(id));
  if (strange)
    throw new Refusal(
      `The service of this cell has never run with the encryption key "${strange.id}". Give this command the ENCRYPTION_KEYS of ` +
        'that service; in a new cell, or with a new key, start the service once first.',
    );
  await new EncryptionKeyCheck(vault, repository).run();
  return vault;
}
