import { createHash } from 'node:crypto';
import type { VaultKey } from '../secret/vault.js';
import { ConfigError } from './config-error.js';

const NAME = 'TRANSFER_KEY';
const MAKE_TRANSFER_KEY = `node -p "require('crypto').randomBytes(32).toString('base64')"`;
const KEY_BYTES = 32;

/**
 * The key that seals a user's file on the way from one cell to another. Its id is made of the key, so that a file tells which
 * one opens it.
 *
 * @param others the cell's own keys, which no other cell should get.
 * @throws ConfigError, which quotes no key.
 */
export function readTransferKey(env: NodeJS.ProcessEnv, others: VaultKey[]): VaultKey {
  const text = env[NAME]?.trim() ?? '';
  if (text === '') throw refused(`is missing; make one, and give it to both commands: ${MAKE_TRANSFER_KEY}`);
  const key = Buffer.from(text, 'base64');
  if (key.toString('base64') !== text || key.length !== KEY_BYTES)
    throw refused(`must be base64 of ${KEY_BYTES} bytes; make one with: ${MAKE_TRANSFER_KEY}`);
  if (others.some((other) => other.key.equals(key)))
    throw refused(
      `is also in ENCRYPTION_KEYS, which the other cell must not get; make one with: ${MAKE_TRANSFER_KEY}`,
    );
  return { id: createHash('sha256').update(key).digest('hex').slice(0, 8), key, source: NAME };
}

const refused = (problem: string) => new ConfigError([`${NAME}: ${problem}`]);
