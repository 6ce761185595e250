import { jsonPointer } from '../../platform/json/json-pointer.js';
import { invalid, Problem } from '../../platform/problem.js';
import {
  isSecretOf,
  newSecretOf,
  publicKeyOf,
  type SignatureScheme,
} from '../../platform/secret/signing-secret.js';
import type { Vault } from '../../platform/secret/vault.js';
import type { WebhookEntity } from '../../store/tables/webhook/webhook.entity.js';
import { canonicalName } from './headers.js';
import { readablePrevious, sealPrevious } from './previous-secrets.js';

/** How requests are signed. */
export interface WebhookSignature {
  /**
   * `standard`: Standard Webhooks, with a secret; `standard-asymmetric`: with an Ed25519 key pair. `stripe` and `github`
   * add the headers of those senders.
   */
  scheme: SignatureScheme;
}

const KEY_PAIR: SignatureScheme = 'standard-asymmetric';

/** The scheme of a body; `standard` unless it names one. */
export const schemeOf = (signature: WebhookSignature | null | undefined): SignatureScheme =>
  signature?.scheme ?? 'standard';

/** The headers that each scheme sends beside those of Standard Webhooks. */
export const SCHEME_HEADERS = {
  standard: [],
  'standard-asymmetric': [],
  stripe: ['stripe-signature'],
  github: ['x-github-delivery', 'x-github-event', 'x-hub-signature-256'],
} as const satisfies Record<SignatureScheme, readonly string[]>;
export type SchemeHeader = (typeof SCHEME_HEADERS)[SignatureScheme][number];

/** @throws Problem 400 naming each header of the webhook's own that its scheme sets. */
export function checkSchemeHeaders(scheme: SignatureScheme, headers: Record<string, string>): void {
  // None for a scheme that its row names wrongly, which a change repairs.
  const set: readonly string[] = SCHEME_HEADERS[scheme] ?? [];
  const taken = Object.keys(headers).filter((name) => set.includes(canonicalName(name)));
  if (taken.length > 0) throw setByScheme(scheme, taken);
}

const setByScheme = (scheme: SignatureScheme, names: string[]): Problem =>
  invalid(
    names.map((name) => ({
      pointer: jsonPointer(['headers', name]),
      message: `is set by the signature scheme ${scheme} and may not be a header of your own`,
    })),
  );

/**
 * What a change of the scheme makes of the secrets: those that can sign in it stay. If the newest cannot, there is a new
 * one.
 */
export function withScheme(
  vault: Vault,
  row: WebhookEntity,
  scheme: SignatureScheme,
  now: number,
): Partial<WebhookEntity> {
  if (scheme === row.signatureScheme) return {};
  // A private key must not become a secret, which is shown.
  const isOther = scheme === KEY_PAIR || row.signatureScheme === KEY_PAIR;
  const fits = (secret: string) => !isOther && isSecretOf(scheme, secret);
  const previous = readablePrevious(vault, row, now).filter(({ secret }) => fits(secret));
  const changes: Partial<WebhookEntity> = {
    signatureScheme: scheme,
    sealedPreviousSecrets: sealPrevious(vault, row.id, previous),
  };
  const secret = vault.tryOpen(row.sealedSecret, row.id);
  if (secret === null || !fits(secret)) changes.sealedSecret = vault.seal(newSecretOf(scheme), row.id);
  return changes;
}

/** What verifies the requests: the secret, or the public key of a key pair, whose private key is never shown. */
export const shownSecret = (scheme: SignatureScheme, secret: string): string =>
  scheme === KEY_PAIR ? (publicKeyOf(secret) ?? '') : secret;

/** The signing secret of a stored webhook. @throws Problem 409 `secret_unreadable` */
export function openedSecret(
  vault: Vault,
  { id, sealedSecret }: Pick<WebhookEntity, 'id' | 'sealedSecret'>,
): string {
  const secret = vault.tryOpen(sealedSecret, id);
  if (secret !== null) return secret;
  throw new Problem(
    409,
    'secret_unreadable',
    'The signing secret of this webhook cannot be decrypted: the encryption key that it was stored with is missing, or it was ' +
      'changed in the database. Put the key back into the encryption keys of the service, or set a new secret with POST ' +
      '/v1/webhook/secret/rotate.',
  );
}
