import { existsSync } from 'node:fs';
import { Vault, type VaultKey } from '../../common/secret/vault.js';
import type { Config } from '../../config/config.js';
import { developmentKeys } from '../../config/encryption-key-file.js';
import { Database } from '../../database/database.js';
import { boundWaits } from '../../database/mysql-bounds.js';
import { isSqliteFile } from '../../database/sqlite/sqlite-file.js';
import { initializeAlone } from '../../database/sqlite/sqlite-lock.js';
import { createDataSource, dataSourceOptions } from '../../schema/data-source.js';
import { EncryptionKeyRepository } from '../../webhook/secret/encryption-key.repository.js';
import { EncryptionKeyCheck } from '../../webhook/secret/encryption-key-check.js';
import { Refusal } from './refusal.js';

const MIGRATION_CHECK_MS = 5000;

export const encryptionKeysOf = ({ encryptionKeys }: Config): VaultKey[] =>
  encryptionKeys ?? developmentKeys();

/**
 * Runs `work` on the database of this cell. One in SQLite must not be in use by the service, unless it is only read.
 *
 * @throws Refusal if the database is not there, or older than this version
 */
export async function onDatabase<T>(
  { databaseUrl }: Config,
  access: 'read' | 'write',
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const options = dataSourceOptions(databaseUrl);
  if (isSqliteFile(options.database) && !existsSync(options.database))
    throw new Refusal(`There is no database ${options.database}. See whether DATABASE_URL is right.`);
  const made = createDataSource(options);
  const dataSource = await (access === 'read' ? made.initialize() : initializeAlone(made));
  try {
    boundWaits(dataSource);
    const database = new Database(dataSource);
    if (await database.hasPendingMigrations(MIGRATION_CHECK_MS))
      throw new Refusal('The database schema is behind this version. Run "npm run migration:run" first.');
    return await work(database);
  } finally {
    await dataSource.destroy();
  }
}

/** What opens and seals in this cell. @throws ConfigError if the keys are not those that the database was written with. */
export async function checkedVault(database: Database, keys: VaultKey[]): Promise<Vault> {
  const vault = new Vault(keys);
  await new EncryptionKeyCheck(vault, new EncryptionKeyRepository(database)).run();
  return vault;
}
