import type { SignatureScheme } from '../../platform/secret/signing-secret.js';
import type { LeasedTrigger } from '../queue/leased-trigger.js';
import { SCHEME_HEADERS } from '../webhook/webhook-signature.js';
import type { RequestHead } from './head/request-head.js';
import { HOPS_HEADER } from './hops.js';
import { type Signer, schemeHeaders, signatureHeader } from './signature.js';

/** Headers that are the same in every request. */
export const COMMON_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'user-agent': 'webhook-notification-service/1 (+https://www.standardwebhooks.com)',
};

/**
 * Headers that differ from request to request: those of Standard Webhooks, those of this service, and those of the
 * signature scheme, which come before `traceparent`.
 */
export interface OwnHeaders {
  [name: string]: string;
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
  'webhook-attempt': string;
  [HOPS_HEADER]: string;
}

/** In the order of {@link ownHeaders}. */
const ownNames = (scheme: SignatureScheme): string[] => [
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
  'webhook-attempt',
  HOPS_HEADER,
  ...SCHEME_HEADERS[scheme],
  'traceparent',
];

export function ownHeaders(
  { notification, eventKind }: LeasedTrigger,
  body: Buffer,
  signer: Signer,
  number: number,
  now: number,
): OwnHeaders {
  const timestamp = Math.floor(now / 1000);
  const own: OwnHeaders = {
    'webhook-id': notification.id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatureHeader(signer.keys, notification.id, timestamp, body),
    'webhook-attempt': String(number),
    [HOPS_HEADER]: String(notification.hops + 1),
    ...schemeHeaders(signer, { id: notification.id, eventKind, timestamp, body }),
  };
  if (notification.traceparent) own.traceparent = notification.traceparent;
  return own;
}

/** @param maskedHeaders the webhook's own headers and `authorization`, credentials masked. */
export const requestHead = (
  url: URL,
  maskedHeaders: Record<string, string>,
  scheme: SignatureScheme,
): RequestHead => ({
  url: url.href,
  headers: {
    ...maskedHeaders,
    ...COMMON_HEADERS,
    ...Object.fromEntries(ownNames(scheme).map((name) => [name, null])),
  },
});
