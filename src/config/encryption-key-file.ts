import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const FILE = './data/encryption.key';

/** The encryption key for development, made at the first start and kept in a file that only its owner can read. */
export function developmentKeys(file = FILE): { id: string; key: Buffer }[] {
  const key = read(file) ?? create(file);
  if (key.length !== 32) throw new Error(`${file} does not hold a key of 32 bytes in base64.`);
  return [{ id: 'dev', key }];
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
