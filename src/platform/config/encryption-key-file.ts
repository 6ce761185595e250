import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { VaultKey } from '../secret/vault.js';
import { ConfigError } from './config-error.js';

const FILE = './data/encryption.key';

/**
 * The encryption key for development, made at the first start and kept in a file that only its owner can read.
 *
 * @throws ConfigError if the file cannot be read or made, or holds something else.
 */
export function developmentKeys(file = FILE): VaultKey[] {
  return keysOf(readOrCreate(file), file);
}

/**
 * The same key for a command, which makes none.
 *
 * @throws ConfigError also if there is no such file.
 */
export function existingDevelopmentKeys(file = FILE): VaultKey[] {
  const key = orUnreadable(() => read(file), file);
  if (key) return keysOf(key, file);
  throw new ConfigError([
    `ENCRYPTION_KEYS: is not set, and there is no ${file} here. Set it as the service of this cell has it, or call this where ` +
      'that service is started.',
  ]);
}

function keysOf(key: Buffer, file: string): VaultKey[] {
  if (key.length !== 32) {
    throw new ConfigError([
      `${file}: holds no key of 32 bytes in base64. Restore the file; if the database is new, delete it, and the next ` +
        'start makes one.',
    ]);
  }
  return [{ id: 'dev', key, source: file }];
}

const readOrCreate = (file: string) => orUnreadable(() => read(file) ?? create(file), file);

function orUnreadable<T>(work: () => T, file: string): T {
  try {
    return work();
  } catch (error) {
    throw new ConfigError([
      `${file}: cannot be read or made (${(error as Error).message}). Change its permissions, or set ENCRYPTION_KEYS.`,
    ]);
  }
}

function read(file: string): Buffer | null {
  try {
    return Buffer.from(readFileSync(file, 'utf8'), 'base64');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function create(file: string): Buffer {
  const key = randomBytes(32);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${key.toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
  return key;
}
