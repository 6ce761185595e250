import { Problem } from '../common/problem.js';
import { jsonPointer } from '../rest/validation.js';
import type { Access } from './authentication/access.js';
import { isMasked, maskedAuthentication, secretPointer } from './authentication/authentication.js';
import { KEY_POINTER, maskedTls } from './authentication/webhook-tls.js';
import type { UpdateWebhookInput } from './dto/webhook-body.js';
import { keptSecrets, MASK, maskHeaders } from './headers.js';

/** A webhook as it is before an update. */
interface Before extends Access {
  row: { url: string };
}

/**
 * Stored values behind a mask are sent only to the origin they were given for. Otherwise anyone who may change the URL
 * could direct them to a receiver of their own. The same holds for the client secret and the URL of the token endpoint.
 *
 * @throws Problem 400 `credentials_required` if an update sets another origin and keeps any of them.
 */
export function checkCredentials(input: UpdateWebhookInput, before: Before): void {
  const { url } = input;
  const kept = isMoved(url, before.row.url) ? keptOf(input, before) : keptForTokens(input, before);
  if (kept.length === 0) return;
  throw new Problem(
    400,
    'credentials_required',
    'A URL has another scheme, host or port, and stored credentials are not sent there unseen. Give these anew in the ' +
      'same update, or remove them: leave headers out of "headers", and set "authentication" and "tls" to null.',
    { errors: kept.map((pointer) => ({ pointer, message: 'must be given anew for another origin' })) },
  );
}

/** JSON pointers of what is not given anew. */
function keptOf({ headers, authentication, tls }: UpdateWebhookInput, before: Before): string[] {
  const kept = keptSecrets(headers ?? maskHeaders(before.headers)).map((name) =>
    jsonPointer(['headers', name]),
  );
  const shown = authentication === undefined ? maskedAuthentication(before.authentication) : authentication;
  if (shown && isMasked(shown)) kept.push(secretPointer(shown));
  const ofTls = tls === undefined ? maskedTls(before.tls) : tls;
  if (ofTls?.clientKey === MASK) kept.push(KEY_POINTER);
  // Authorities hold no secret, but whom to trust was decided for the other receiver.
  else if (tls === undefined && before.tls !== null) kept.push('/tls');
  return kept;
}

function keptForTokens({ authentication: given }: UpdateWebhookInput, { authentication }: Before): string[] {
  if (given?.type !== 'oauth2' || authentication?.type !== 'oauth2' || !isMasked(given)) return [];
  return isMoved(given.tokenUrl, authentication.tokenUrl) ? [secretPointer(given)] : [];
}

const isMoved = (url: string | undefined, from: string) =>
  url !== undefined && new URL(url).origin !== new URL(from).origin;
