import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '../problem.js';

/** Methods of which a content type without a body says nothing. */
const BODYLESS = new Set(['GET', 'HEAD', 'DELETE']);

/** The one media type that is taken; of its parameters only the charset is looked at, as JSON needs none. */
const JSON_TYPE = /^application\/json\s*(?:;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i;

/** Whether a body comes with a request: by its headers, as nothing of it may have been read yet. */
export function carriesBody({
  'content-length': length,
  'transfer-encoding': coding,
}: IncomingHttpHeaders): boolean {
  return coding !== undefined || (length !== undefined && length !== '0');
}

/**
 * Refuses every body that is not JSON. A page of another origin can have a browser send forms and plain text, cookies and
 * all; for JSON the browser would ask first. An application's own parsers may take any of them.
 *
 * @throws Problem 415
 */
export function refuseOtherThanJson(request: { method: string; headers: IncomingHttpHeaders }): void {
  const { method, headers } = request;
  const type = headers['content-type'];
  if (!carriesBody(headers) && (type === undefined || BODYLESS.has(method))) return;
  if (type === undefined || !JSON_TYPE.test(type))
    throw unsupported('Send the body as Content-Type: application/json.');
  if (!/^utf-?8$/i.test(CHARSET.exec(type)?.[1] ?? 'utf-8')) throw unsupported('Send the body as UTF-8.');
}

export const unsupported = (message: string) => new Problem(415, 'unsupported_media_type', message);
