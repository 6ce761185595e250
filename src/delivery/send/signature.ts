import { type KeyObject, sign } from 'node:crypto';
import { hmacOf, type SignatureScheme, type SigningKey } from '../../common/secret/signing-secret.js';

/** What a request is signed with: one key for each live secret, the newest first. */
export interface Signer {
  scheme: SignatureScheme;
  keys: SigningKey[];
}

/** What is signed. */
export interface Signed {
  /** Of the notification. */
  id: string;
  eventKind: string;
  /** Whole seconds since the Unix epoch, as in `webhook-timestamp`. */
  timestamp: number;
  body: Buffer;
}

/**
 * The `webhook-signature` header of Standard Webhooks, one signature for each key, separated by spaces. For an HMAC key
 * `v1,` + base64 of the HMAC-SHA256 of `id.timestamp.body`; for an Ed25519 key `v1a,` + base64 of its signature.
 *
 * @param timestampSeconds whole seconds since the Unix epoch, as in `webhook-timestamp`.
 */
export function signatureHeader(
  keys: KeyObject[],
  id: string,
  timestampSeconds: number,
  body: Buffer,
): string {
  const prefix = `${id}.${timestampSeconds}.`;
  return keys
    .map((key) =>
      key.type === 'private'
        ? `v1a,${sign(null, Buffer.concat([Buffer.from(prefix), body]), key).toString('base64')}`
        : `v1,${hmacOf(key, prefix, body).digest('base64')}`,
    )
    .join(' ');
}

type SchemeHeaders = Record<string, (signed: Signed, keys: SigningKey[]) => string>;

const NONE: SchemeHeaders = {};

/** The headers that a scheme adds to those of Standard Webhooks. */
const HEADERS: Record<SignatureScheme, SchemeHeaders> = {
  standard: NONE,
  'standard-asymmetric': NONE,
  // https://docs.stripe.com/webhooks#verify-manually
  stripe: {
    'stripe-signature': ({ timestamp, body }, keys) =>
      [
        `t=${timestamp}`,
        ...keys.map(({ text }) => `v1=${hmacOf(text, `${timestamp}.`, body).digest('hex')}`),
      ].join(','),
  },
  // https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries. It holds one signature.
  github: {
    'x-github-delivery': ({ id }) => id,
    'x-github-event': ({ eventKind }) => eventKind,
    'x-hub-signature-256': ({ body }, [newest]) =>
      newest ? `sha256=${hmacOf(newest.text, body).digest('hex')}` : '',
  },
};

/** The names of the headers that a scheme adds, in the order of {@link schemeHeaders}. */
export const schemeNames = (scheme: SignatureScheme): string[] => Object.keys(HEADERS[scheme]);

export const schemeHeaders = ({ scheme, keys }: Signer, signed: Signed): Record<string, string> =>
  Object.fromEntries(Object.entries(HEADERS[scheme]).map(([name, of]) => [name, of(signed, keys)]));
