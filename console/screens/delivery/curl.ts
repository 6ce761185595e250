import type { WebhookTriggerDto } from 'webhook-notification-service-client';

/** What curl says by itself. */
const OWN = ['host', 'content-length', 'connection', 'transfer-encoding'];

/** Inside single quotes a shell changes nothing. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The request as a command of a POSIX shell. Masked values stay masked. */
export function curlOf({ method, url, headers }: WebhookTriggerDto['request_data'], body = ''): string {
  const given = Object.entries(headers).filter(([name]) => !OWN.includes(name.toLowerCase()));
  return [
    `curl --request ${method} ${quoted(url ?? '')}`,
    ...given.map(([name, value]) => `--header ${quoted(`${name}: ${value}`)}`),
    `--data-raw ${quoted(body)}`,
  ].join(' \\\n  ');
}
