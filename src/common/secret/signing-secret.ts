import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;
const NEW_SECRET_BYTES = 32;

/** Completes "this field …" for a value that is not a secret. */
export const SECRET_ERROR = 'must be whsec_ and base64 of 24 to 64 bytes';

/**
 * The signing key of a Standard Webhooks symmetric secret: `whsec_` + padded base64 of 24..64 bytes.
 * Callers keep the key: importing it costs more than a short signature.
 *
 * @returns null if `secret` has another form.
 */
export function parseSecret(secret: string): KeyObject | null {
  if (!secret.startsWith(PREFIX)) return null;
  const encoded = secret.slice(PREFIX.length);
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length < MIN_SECRET_BYTES || bytes.length > MAX_SECRET_BYTES) return null;
  // Node ignores characters that are not base64, so only strict base64 survives the round trip.
  return bytes.toString('base64') === encoded ? createSecretKey(bytes) : null;
}

/** A fresh secret: `whsec_` + base64 of 32 random bytes. */
export function newSecret(): string {
  return PREFIX + randomBytes(NEW_SECRET_BYTES).toString('base64');
}
