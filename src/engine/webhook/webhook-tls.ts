import type { FieldError } from '../../platform/problem.js';
import { faultOfPair } from './certificates.js';
import { MASK, NOTHING_STORED } from './headers.js';

/** What the service shows of itself in the TLS handshake with a receiver, and whom it trusts there. PEM. */
export interface WebhookTls {
  /** The certificate of the service for this receiver, with the intermediate ones behind it. */
  clientCertificate: string | null;
  /** The key of that certificate; answered as `********`. */
  clientKey: string | null;
  /** The authorities whose certificates are trusted, in place of the public ones. */
  ca: string | null;
}

/** What a caller gives: the certificate and its key, or authorities, or all three. */
export type WebhookTlsInput = { [Name in keyof WebhookTls]?: WebhookTls[Name] | undefined };

export const KEY_POINTER = '/tls/client_key';

export const maskedTls = (tls: WebhookTls | null): WebhookTls | null =>
  tls && { ...tls, clientKey: tls.clientKey === null ? null : MASK };

/** Puts the stored key where a mask was sent back, or says what is wrong with that. */
export function unmaskedTls(
  given: WebhookTls | null,
  stored: WebhookTls | null,
): { tls: WebhookTls | null; errors: FieldError[] } {
  if (given?.clientKey !== MASK) return { tls: given, errors: [] };
  const clientKey = stored?.clientKey ?? null;
  const message = clientKey === null ? NOTHING_STORED : faultOfPair(given.clientCertificate ?? '', clientKey);
  if (message !== null) return { tls: given, errors: [{ pointer: KEY_POINTER, message }] };
  return { tls: { ...given, clientKey }, errors: [] };
}
