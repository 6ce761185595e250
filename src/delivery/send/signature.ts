import { createHmac, type KeyObject } from 'node:crypto';

/**
 * The `webhook-signature` header of Standard Webhooks: for each key `v1,` + base64 of the HMAC-SHA256 of
 * `id.timestamp.body`, separated by spaces.
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
    .map((key) => `v1,${createHmac('sha256', key).update(prefix).update(body).digest('base64')}`)
    .join(' ');
}
