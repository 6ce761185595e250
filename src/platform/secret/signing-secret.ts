import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

const PREFIX = 'whsec_';
const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;
const NEW_SECRET_BYTES = 32;

const PRIVATE_PREFIX = 'whsk_';
const PUBLIC_PREFIX = 'whpk_';
/** RFC 8410, 7: what stands before the 32 bytes of an Ed25519 private key in PKCS #8. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const SEED_BYTES = 32;

/** Secrets of the schemes that take any text. */
const TEXT = /^[!-~]{16,256}$/;

/** How requests are signed. */
export const SIGNATURE_SCHEMES = ['standard', 'standard-asymmetric', 'stripe', 'github'] as const;
export type SignatureScheme = (typeof SIGNATURE_SCHEMES)[number];

/** Completes "this field …" for a value that is not a secret of the scheme. */
export const SECRET_ERRORS: Record<SignatureScheme, string> = {
  standard: 'must be whsec_ and base64 of 24 to 64 bytes',
  'standard-asymmetric': 'cannot be given: this scheme signs with a key pair that the service makes',
  stripe: 'must be 16 to 256 visible ASCII characters',
  github: 'must be 16 to 256 visible ASCII characters',
};

/**
 * The signing key of a Standard Webhooks symmetric secret: `whsec_` + padded base64 of 24..64 bytes.
 * Callers keep the key: importing it costs more than a short signature.
 *
 * @returns null if `secret` has another form.
 */
export function parseSecret(secret: string): KeyObject | null {
  const bytes = bytesOf(secret, PREFIX);
  const isSecret = bytes !== null && bytes.length >= MIN_SECRET_BYTES && bytes.length <= MAX_SECRET_BYTES;
  return isSecret ? createSecretKey(bytes) : null;
}

/** A fresh secret: `whsec_` + base64 of 32 random bytes. */
export function newSecret(): string {
  return PREFIX + randomBytes(NEW_SECRET_BYTES).toString('base64');
}

/** A fresh secret of a scheme; a private key, `whsk_` + base64 of its 32 bytes, for `standard-asymmetric`. */
export function newSecretOf(scheme: SignatureScheme): string {
  if (scheme !== 'standard-asymmetric') return newSecret();
  const { privateKey } = generateKeyPairSync('ed25519');
  const bytes = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-SEED_BYTES);
  return PRIVATE_PREFIX + bytes.toString('base64');
}

/** Whether a text can sign in this scheme. */
export function isSecretOf(scheme: SignatureScheme, secret: string): boolean {
  if (scheme === 'standard') return parseSecret(secret) !== null;
  return scheme === 'standard-asymmetric' ? privateKeyOf(secret) !== null : TEXT.test(secret);
}

/** The public key of a `standard-asymmetric` secret: `whpk_` + base64 of 32 bytes; null for another secret. */
export function publicKeyOf(secret: string): string | null {
  const key = privateKeyOf(secret);
  if (key === null) return null;
  const bytes = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-SEED_BYTES);
  return PUBLIC_PREFIX + bytes.toString('base64');
}

/** What a secret signs with. */
interface SigningKey {
  /** For `webhook-signature`: an HMAC key, or an Ed25519 private key. */
  standard: KeyObject;
  /** For the signatures of others: their key is the secret as a text. */
  text: KeyObject;
}

/** @throws Error for what is no secret of the scheme. */
export function signingKeyOf(scheme: SignatureScheme, secret: string): SigningKey {
  if (!isSecretOf(scheme, secret)) throw new Error(`It is not a signing secret of the scheme ${scheme}.`);
  const text = createSecretKey(Buffer.from(secret));
  const pair = scheme === 'standard-asymmetric' ? privateKeyOf(secret) : null;
  return { standard: pair ?? parseSecret(secret) ?? text, text };
}

export const hmacOf = (key: KeyObject, ...parts: (string | Buffer)[]) =>
  parts.reduce((hmac, part) => hmac.update(part), createHmac('sha256', key));

function privateKeyOf(secret: string): KeyObject | null {
  const bytes = bytesOf(secret, PRIVATE_PREFIX);
  if (bytes?.length !== SEED_BYTES) return null;
  return createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, bytes]), format: 'der', type: 'pkcs8' });
}

/** Null for what is not the prefix and strict, padded base64. */
function bytesOf(text: string, prefix: string): Buffer | null {
  if (!text.startsWith(prefix)) return null;
  const encoded = text.slice(prefix.length);
  const bytes = Buffer.from(encoded, 'base64');
  // Node ignores characters that are not base64, so only strict base64 survives the round trip.
  return bytes.toString('base64') === encoded ? bytes : null;
}
