import { createHash } from 'node:crypto';
import type { NamedTls } from '../../network/tls/client-tls.js';
import { writeJson } from '../../platform/json/write-json.js';
import type { Vault } from '../../platform/secret/vault.js';
import type { WebhookEntity } from '../../store/tables/webhook/webhook.entity.js';
import type { OAuth2Authentication, WebhookAuthentication } from '../webhook/authentication.js';
import { MASK, maskHeaders } from '../webhook/headers.js';
import { authenticationOf, headersOf, tlsOf } from '../webhook/sealed-authentication.js';
import type { WebhookTls } from '../webhook/webhook-tls.js';
import { EchoMask } from './echo-mask.js';
import type { Fault } from './fault.js';

/** What a receiver is shown beside the signature, decrypted. */
export interface ReceiverAccess {
  /** The columns that it was made of. */
  sealed: string;
  /** The webhook's own headers, and `authorization` if that is the same for all requests. */
  headers: Record<string, string>;
  /** The same, credentials masked. */
  shownHeaders: Record<string, string>;
  /** How to get access tokens; null if none are sent. */
  oauth2: OAuth2Authentication | null;
  tls: NamedTls | undefined;
  /** Masks answers; null if there is nothing to mask. */
  echoes: EchoMask | null;
}

/**
 * Costly, so it is made anew only if the columns have changed.
 *
 * @param reading is told which part is being read; it is at fault if this throws.
 */
export function accessOf(
  vault: Vault,
  webhook: WebhookEntity,
  before: ReceiverAccess | null,
  reading: (part: Fault) => void,
): ReceiverAccess {
  const sealed = [webhook.sealedHeaders, webhook.sealedAuthentication, webhook.sealedTls].join(' ');
  if (before?.sealed === sealed) return before;
  reading('headers');
  const own = headersOf(vault, webhook);
  reading('authentication');
  const authentication = authenticationOf(vault, webhook);
  reading('tls');
  const tls = tlsOf(vault, webhook);
  const authorization = authorizationOf(authentication);
  const headers = authorization === null ? own : { ...own, authorization };
  const oauth2 = authentication?.type === 'oauth2' ? authentication : null;
  return {
    sealed,
    headers,
    shownHeaders: authentication === null ? maskHeaders(own) : { ...maskHeaders(own), authorization: MASK },
    oauth2,
    tls: tls === null ? undefined : namedTls(webhook.id, tls),
    echoes: EchoMask.of(oauth2 ? { ...headers, 'client-secret': oauth2.clientSecret } : headers),
  };
}

function authorizationOf(authentication: WebhookAuthentication | null): string | null {
  if (authentication === null || authentication.type === 'oauth2') return null;
  if (authentication.type === 'bearer') return bearer(authentication.token);
  const { username, password } = authentication;
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** The value of `Authorization` for a token (RFC 6750, 2.1). */
export const bearer = (token: string) => `Bearer ${token}`;

/** A webhook shares its connections with no other one, and none that it opened with other values. */
function namedTls(webhookId: string, { clientCertificate, clientKey, ca }: WebhookTls): NamedTls {
  const values = writeJson([clientCertificate, clientKey, ca]);
  const hash = createHash('sha256').update(values).digest('base64url');
  return { id: `${webhookId} ${hash}`, certificate: clientCertificate, key: clientKey, ca };
}
