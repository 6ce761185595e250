import type { VaultKey } from '../secret/vault.js';
import { split } from './fields.js';

export const MAKE_ENCRYPTION_KEY = `node -p "'k1:'+require('crypto').randomBytes(32).toString('base64')"`;

const KEY_BYTES = 32;
const ID = /^[A-Za-z0-9_-]{1,32}$/;
const ID_RULE = '1 to 32 letters, digits, _ or -';
const FORM = `write id:key, the key base64 of ${KEY_BYTES} bytes; make one with: ${MAKE_ENCRYPTION_KEY}`;
const LIST_FORM = `write { id: 'k1', key }, the key a Buffer of ${KEY_BYTES} bytes`;

/**
 * @param given the text of {@link readEncryptionKeys}, or the keys themselves.
 * @throws Error whose message completes the sentence "this setting …".
 */
export function encryptionKeysOf(given: unknown): VaultKey[] {
  if (given === undefined || given === null) {
    throw new Error(`is missing; if it comes from an environment variable, set that one; ${FORM}`);
  }
  if (typeof given === 'string') return readEncryptionKeys(given);
  if (Array.isArray(given)) return checkedKeys(given);
  throw new Error(`must be a text or a list; ${FORM}`);
}

/**
 * @param text `id:base64 of 32 bytes`, separated by commas.
 * @param source what messages call the place where the keys were written; see {@link VaultKey}.
 * @throws Error whose message completes the sentence "this setting …". It quotes no key.
 */
export function readEncryptionKeys(text: string, source?: string): VaultKey[] {
  if (text.trim() === '') throw new Error(`is empty; ${FORM}`);
  const keys = split(text).map((entry, index) => {
    const key = readEntry(entry);
    if (typeof key === 'string') throw new Error(`entry ${index + 1} ${key}; ${FORM}`);
    return source === undefined ? key : { ...key, source };
  });
  checkIds(keys);
  return keys;
}

/** @returns the key, or what is wrong with the entry. */
function readEntry(entry: string): VaultKey | string {
  if (entry === '') return 'is empty: there is a comma too many';
  const colon = entry.indexOf(':');
  if (colon < 0) return 'has no colon between an id and a key';
  const id = entry.slice(0, colon);
  const encoded = entry.slice(colon + 1);
  if (!ID.test(id)) return `must begin with an id of ${ID_RULE}`;
  const key = Buffer.from(encoded, 'base64');
  if (key.toString('base64') !== encoded) {
    return `has a key that is not base64, with + and / (not - and _) and = at the end where it belongs`;
  }
  return key.length === KEY_BYTES ? { id, key } : `has a key of ${key.length} bytes, not ${KEY_BYTES}`;
}

function checkedKeys(keys: VaultKey[]): VaultKey[] {
  if (keys.length === 0) throw new Error(`is an empty list; ${LIST_FORM}`);
  for (const [index, given] of keys.entries()) {
    const fault = faultOf(given);
    if (fault) throw new Error(`entry ${index + 1} ${fault}; ${LIST_FORM}`);
  }
  checkIds(keys);
  return keys;
}

/** @returns what is wrong with a key; null if nothing is. */
function faultOf(given: Partial<VaultKey> | null | undefined): string | null {
  const { id, key }: Record<string, unknown> = { ...given };
  if (id === undefined || id === '') return 'has no id';
  if (typeof id !== 'string' || !ID.test(id)) return `has an id that is not ${ID_RULE}`;
  if (!(key instanceof Uint8Array)) return 'has a key that is not a Buffer';
  return key.length === KEY_BYTES ? null : `has a key of ${key.length} bytes, not ${KEY_BYTES}`;
}

function checkIds(keys: VaultKey[]): void {
  const ids = keys.map(({ id }) => id);
  const repeated = ids.findIndex((id, index) => ids.indexOf(id) < index);
  if (repeated < 0) return;
  throw new Error(
    `entry ${repeated + 1} has the id "${ids[repeated]}" of an earlier one; give every key an id of its own`,
  );
}
