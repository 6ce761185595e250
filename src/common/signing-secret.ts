import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;
const NEW_SECRET_BYTES = 32;

/** Completes "this field …" where it is no secret. */
export const SECRET_ERROR = 'must be whsec_ and base64 of 24 to 64 bytes';

/**
 * The signing key of a Standard Webhooks symmetric secret: `whsec_` + padded base64 of 24..64 bytes.
 * Keep the key: importing it costs more than a short signature.
 *
 * @returns null where the secret is anything else.
 */
export function parseSecret(secret: string): KeyObject | null {
  if (!secret.startsWith(PREFIX)) return null;
  const encoded = secret.slice(PREFIX.length);
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length < MIN_SECRET_BYTES || bytes.length > MAX_SECRET_BYTES) return null;
  // Node skips what is not base64; only strict base64 comes back as it was.
  return bytes.toString('base64') === encoded ? createSecretKey(bytes) : null;
}

/** A fresh secret: `whsec_` + base64 of 32 random bytes. */
export function newSecret(): string {
  return PREFIX + randomBytes(NEW_SECRET_BYTES).toString('base64');
}
