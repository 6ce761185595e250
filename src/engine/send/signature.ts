import { type KeyObject, sign } from 'node:crypto';
import { hmacOf, type SignatureScheme, signingKeyOf } from '../../platform/secret/signing-secret.js';
import { SCHEME_HEADERS, type SchemeHeader } from '../webhook/webhook-signature.js';

/** What a request is signed with: a key of each kind for each live secret, the newest first. */
export interface Signer {
  scheme: SignatureScheme;
  /** For `webhook-signature`. */
  keys: KeyObject[];
  /** For the signatures of others. */
  textKeys: KeyObject[];
}

/** @throws Error for what is no secret of the scheme. */
export function signerOf(scheme: SignatureScheme, secrets: string[]): Signer {
  const each = secrets.map((secret) => signingKeyOf(scheme, secret));
  return { scheme, keys: each.map(({ standard }) => standard), textKeys: each.map(({ text }) => text) };
}

/** What is signed. */
export interface Signed {
  /** The id of the notification. */
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

const SCHEME_VALUES: Record<SchemeHeader, (signed: Signed, keys: KeyObject[]) => string> = {
  // https://docs.stripe.com/webhooks#verify-manually
  'stripe-signature': ({ timestamp, body }, keys) =>
    [`t=${timestamp}`, ...keys.map((key) => `v1=${hmacOf(key, `${timestamp}.`, body).digest('hex')}`)].join(
      ',',
    ),
  // https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries. It holds one signature.
  'x-github-delivery': ({ id }) => id,
  'x-github-event': ({ eventKind }) => eventKind,
  'x-hub-signature-256': ({ body }, [newest]) =>
    newest ? `sha256=${hmacOf(newest, body).digest('hex')}` : '',
};

/** The headers of {@link SCHEME_HEADERS}, in that order. */
export function schemeHeaders({ scheme, textKeys }: Signer, signed: Signed): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of SCHEME_HEADERS[scheme]) headers[name] = SCHEME_VALUES[name](signed, textKeys);
  return headers;
}
