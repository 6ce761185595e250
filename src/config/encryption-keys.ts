import type { VaultKey } from '../common/vault.js';
import { split } from './fields.js';

export const MAKE_ENCRYPTION_KEY = `node -p "'k1:'+require('crypto').randomBytes(32).toString('base64')"`;

/**
 * @param text `id:base64 of 32 bytes`, separated by commas.
 * @throws Error saying what the text must be.
 */
export function readEncryptionKeys(text: string): VaultKey[] {
  const ids = new Set<string>();
  return split(text).map((entry, index) => {
    const [, id, encoded] = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]{43}=)$/.exec(entry) ?? [];
    if (id === undefined || encoded === undefined) {
      throw new Error(
        `entry ${index + 1} must be id:key, the id 1 to 32 letters, digits, _ or -, the key base64 of 32 bytes; ` +
          `make one with: ${MAKE_ENCRYPTION_KEY}`,
      );
    }
    if (ids.has(id)) throw new Error(`entry ${index + 1} repeats an id; give every key an id of its own`);
    ids.add(id);
    return { id, key: Buffer.from(encoded, 'base64') };
  });
}
