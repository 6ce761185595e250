import { unmaskedAuthentication, type WebhookAuthentication } from '../../engine/webhook/authentication.js';
import { canonicalName, mergedHeaders } from '../../engine/webhook/headers.js';
import { unmaskedTls, type WebhookTls } from '../../engine/webhook/webhook-tls.js';
import { jsonPointer } from '../../platform/json/json-pointer.js';
import { type FieldError, invalid } from '../../platform/problem.js';

/** What a receiver is shown, and by which it knows the service. */
export interface Access {
  headers: Record<string, string>;
  authentication: WebhookAuthentication | null;
  tls: WebhookTls | null;
}

/** What is stored of a webhook that does not exist yet. */
export const NO_ACCESS: Access = { headers: {}, authentication: null, tls: null };

/**
 * What is to be stored: what is given, with stored values in place of masks; the rest stays.
 *
 * @param url as it will be.
 * @throws Problem 400 naming each mask that stands for nothing, and each value that does not go with the others.
 */
export function mergedAccess(
  given: { [Name in keyof Access]?: Access[Name] | undefined },
  stored: Access,
  url: string,
): Access {
  const headers = given.headers ? mergedHeaders(given.headers, stored.headers) : stored.headers;
  const { authentication, errors } =
    given.authentication === undefined
      ? { authentication: stored.authentication, errors: [] }
      : unmaskedAuthentication(given.authentication, stored.authentication);
  const ofTls =
    given.tls === undefined ? { tls: stored.tls, errors: [] } : unmaskedTls(given.tls, stored.tls);
  const access = { headers, authentication, tls: ofTls.tls };
  const all = [...errors, ...ofTls.errors, ...conflictsOf(access, url)];
  if (all.length > 0) throw invalid(all);
  return access;
}

function conflictsOf({ headers, authentication, tls }: Access, url: string): FieldError[] {
  const twice =
    authentication === null
      ? []
      : Object.keys(headers).filter((name) => canonicalName(name) === 'authorization');
  const errors = twice.map((name) => ({
    pointer: jsonPointer(['headers', name]),
    message: 'is set by "authentication", and may not be a header of your own beside it',
  }));
  if (tls !== null && !url.toLowerCase().startsWith('https:'))
    errors.push({ pointer: '/tls', message: 'needs a URL that begins with https; null removes it' });
  return errors;
}
