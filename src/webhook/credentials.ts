import { Problem } from '../common/problem.js';
import { jsonPointer } from '../rest/validation.js';
import type { UpdateWebhookInput } from './dto/webhook-body.js';
import { keptSecrets, maskHeaders } from './headers.js';

/** A webhook as it is before an update. */
interface Before {
  row: { url: string };
  headers: Record<string, string>;
}

/**
 * Stored values behind a mask are sent only to the origin they were given for. Otherwise anyone who may change the URL
 * could direct them to a receiver of their own.
 *
 * @throws Problem 400 `credentials_required` if an update sets another origin and keeps any of them.
 */
export function checkCredentials({ url, headers }: UpdateWebhookInput, before: Before): void {
  if (url === undefined || originOf(url) === originOf(before.row.url)) return;
  const kept = keptSecrets(headers ?? maskHeaders(before.headers));
  if (kept.length === 0) return;
  throw new Problem(
    400,
    'credentials_required',
    'The URL has another scheme, host or port, and masked header values are not sent there unseen. Give these headers ' +
      'anew in the same update, or leave them out of "headers".',
    {
      errors: kept.map((name) => ({
        pointer: jsonPointer(['headers', name]),
        message: 'must be given anew for another origin',
      })),
    },
  );
}

const originOf = (url: string) => new URL(url).origin;
