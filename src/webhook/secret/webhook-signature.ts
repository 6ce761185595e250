import type { Problem } from '../../common/problem.js';
import { invalid } from '../../common/problem.js';
import {
  isSecretOf,
  newSecretOf,
  publicKeyOf,
  type SignatureScheme,
} from '../../common/secret/signing-secret.js';
import type { Vault } from '../../common/secret/vault.js';
import { jsonPointer } from '../../rest/validation.js';
import { canonicalName } from '../headers.js';
import type { WebhookEntity } from '../webhook.entity.js';
import { livePrevious, sealPrevious } from './previous-secrets.js';

/** How requests are signed. */
export interface WebhookSignature {
  /**
   * `standard`: Standard Webhooks, with a secret; `standard-asymmetric`: with an Ed25519 key pair. `stripe` and `github`
   * add the headers of those senders.
   */
  scheme: SignatureScheme;
}

export const DEFAULT_SCHEME: SignatureScheme = 'standard';
const KEY_PAIR: SignatureScheme = 'standard-asymmetric';

/** Names of headers that a scheme sets itself. */
const SET_BY: Record<SignatureScheme, string[]> = {
  standard: [],
  'standard-asymmetric': [],
  stripe: ['stripe-signature'],
  github: ['x-github-delivery', 'x-github-event', 'x-hub-signature-256'],
};

/** @throws Problem 400 naming each header of the webhook's own that its scheme sets. */
export function checkSchemeHeaders(scheme: SignatureScheme, headers: Record<string, string>): void {
  const taken = Object.keys(headers).filter((name) => SET_BY[scheme].includes(canonicalName(name)));
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
  const previous = livePrevious(vault, row, now).filter(({ secret }) => fits(secret));
  const changes: Partial<WebhookEntity> = {
    signatureScheme: scheme,
    sealedPreviousSecrets: sealPrevious(vault, row.id, previous),
  };
  if (!fits(vault.open(row.sealedSecret, row.id)))
    changes.sealedSecret = vault.seal(newSecretOf(scheme), row.id);
  return changes;
}

/** What verifies the requests: the secret, or the public key of a key pair, whose private key is never shown. */
export const shownSecret = (scheme: SignatureScheme, secret: string): string =>
  scheme === KEY_PAIR ? (publicKeyOf(secret) ?? '') : secret;
