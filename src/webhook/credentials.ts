import { isMasked, maskedAuthentication, secretPointer } from '../engine/webhook/authentication.js';
import { keptSecrets, MASK, maskHeaders } from '../engine/webhook/headers.js';
import { KEY_POINTER, maskedTls } from '../engine/webhook/webhook-tls.js';
import { jsonPointer } from '../platform/json/json-pointer.js';
import { Problem } from '../platform/problem.js';
import type { Access } from './authentication/access.js';
import type { UnreadablePart } from './decrypted-webhook.js';
import type { UpdateWebhookInput } from './dto/webhook-body.js';

const ACCESS = ['headers', 'authentication', 'tls'] as const;

/** A webhook as it is before an update. */
interface Before extends Access {
  row: { url: string };
  unreadable: readonly UnreadablePart[];
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

/** A part of an update that may hold masks. */
type Given = Pick<UpdateWebhookInput, 'headers' | 'authentication' | 'tls'>;

/**
 * A mask keeps what is stored, which must be readable for that.
 *
 * @throws Problem 400 `credentials_required` if an update keeps a value that cannot be decrypted any more.
 */
export function checkReadable(given: Given, { unreadable }: Before): void {
  const kept = masksOf(given).filter((pointer) => unreadable.some((part) => pointer.startsWith(`/${part}/`)));
  if (kept.length === 0) return;
  throw new Problem(
    400,
    'credentials_required',
    'What is stored cannot be decrypted: the encryption key that it was stored with is missing. Give these anew, or remove ' +
      'them; or put the key back into the encryption keys of the service.',
    {
      errors: kept.map((pointer) => ({
        pointer,
        message: 'must be given anew, as the stored value cannot be read',
      })),
    },
  );
}

/** JSON pointers of the masks. */
function masksOf({ headers, authentication, tls }: Given): string[] {
  const masks = keptSecrets(headers ?? {}).map((name) => jsonPointer(['headers', name]));
  if (authentication && isMasked(authentication)) masks.push(secretPointer(authentication));
  if (tls?.clientKey === MASK) masks.push(KEY_POINTER);
  return masks;
}

/** JSON pointers of what is not given anew. What cannot be read now may be again, once its key is back. */
function keptOf(input: UpdateWebhookInput, before: Before): string[] {
  const { headers, authentication, tls } = input;
  const unread = ACCESS.filter((part) => before.unreadable.includes(part) && input[part] === undefined);
  const kept = keptSecrets(headers ?? maskHeaders(before.headers)).map((name) =>
    jsonPointer(['headers', name]),
  );
  const shown = authentication === undefined ? maskedAuthentication(before.authentication) : authentication;
  if (shown && isMasked(shown)) kept.push(secretPointer(shown));
  const ofTls = tls === undefined ? maskedTls(before.tls) : tls;
  if (ofTls?.clientKey === MASK) kept.push(KEY_POINTER);
  // Authorities hold no secret, but whom to trust was decided for the other receiver.
  else if (tls === undefined && before.tls !== null) kept.push('/tls');
  return [...unread.map((part) => `/${part}`), ...kept];
}

function keptForTokens({ authentication: given }: UpdateWebhookInput, { authentication }: Before): string[] {
  if (given?.type !== 'oauth2' || authentication?.type !== 'oauth2' || !isMasked(given)) return [];
  return isMoved(given.tokenUrl, authentication.tokenUrl) ? [secretPointer(given)] : [];
}

/** From what is no URL any more, everything is another origin. */
const isMoved = (url: string | undefined, from: string) =>
  url !== undefined && new URL(url).origin !== URL.parse(from)?.origin;
