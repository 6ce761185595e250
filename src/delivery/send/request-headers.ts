import type { KeyObject } from 'node:crypto';
import { HOPS_HEADER } from '../../rest/hops.js';
import type { RequestHead } from '../../trigger/attempt/request-head.js';
import type { LeasedNotification } from '../queue/leased-trigger.js';
import { signatureHeader } from './signature.js';

/** Headers that are the same in every request. */
export const COMMON_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'user-agent': 'webhook-notification-service/1 (+https://www.standardwebhooks.com)',
};

/** Headers that differ from request to request: those of Standard Webhooks and those of this service. */
export interface OwnHeaders {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
  'webhook-attempt': string;
  [HOPS_HEADER]: string;
  traceparent?: string;
}

/** In the order of {@link OwnHeaders}. */
const OWN_NAMES: (keyof OwnHeaders)[] = [
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
  'webhook-attempt',
  HOPS_HEADER,
  'traceparent',
];

export function ownHeaders(
  notification: LeasedNotification,
  body: Buffer,
  keys: KeyObject[],
  number: number,
  now: number,
): OwnHeaders {
  const timestamp = Math.floor(now / 1000);
  const own: OwnHeaders = {
    'webhook-id': notification.id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatureHeader(keys, notification.id, timestamp, body),
    'webhook-attempt': String(number),
    [HOPS_HEADER]: String(notification.hops + 1),
  };
  if (notification.traceparent) own.traceparent = notification.traceparent;
  return own;
}

/** @param maskedHeaders the webhook's own headers, credentials masked. */
export const requestHead = (url: URL, maskedHeaders: Record<string, string>): RequestHead => ({
  url: url.href,
  headers: {
    ...maskedHeaders,
    ...COMMON_HEADERS,
    ...Object.fromEntries(OWN_NAMES.map((name) => [name, null])),
  },
});
