import { Buffer } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { charsetOf } from '../charset.js';
import { Problem } from '../problem.js';

/** Methods whose content type means nothing without a body. */
const BODYLESS = new Set(['GET', 'HEAD', 'DELETE']);

/** The only accepted media type. Only its charset parameter is checked; JSON needs no parameters. */
const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

/** Whether a request has a body, judged by its headers, as the body may not have been read yet. */
export function carriesBody({
  'content-length': length,
  'transfer-encoding': coding,
}: IncomingHttpHeaders): boolean {
  return coding !== undefined || (length !== undefined && length !== '0');
}

/**
 * Refuses every body that is not JSON. A page of another origin can make a browser send forms and plain text with cookies;
 * for JSON the browser asks first (CORS). An application's own parsers may accept any of them.
 *
 * @throws Problem 415
 */
export function refuseOtherThanJson(request: { method: string; headers: IncomingHttpHeaders }): void {
  const { method, headers } = request;
  const type = headers['content-type'];
  if (!carriesBody(headers) && (type === undefined || BODYLESS.has(method))) return;
  if (type === undefined || !JSON_TYPE.test(type))
    throw unsupported('Send the body as Content-Type: application/json.');
  if (!/^utf-?8$/i.test(charsetOf(type) ?? 'utf-8')) throw unsupported('Send the body as UTF-8.');
}

/**
 * Refuses a body that came and was not parsed: an application's parser may be missing, or leave the bytes as they are.
 *
 * @returns true, for a guard.
 * @throws Problem 500, so that the application's developer reads why
 */
export function refuseUnparsed(request: {
  method: string;
  headers: IncomingHttpHeaders;
  body?: unknown;
}): true {
  const { method, headers, body } = request;
  const isUnparsed = body === undefined || Buffer.isBuffer(body);
  if (!isUnparsed || BODYLESS.has(method) || !carriesBody(headers)) return true;
  throw new Problem(
    500,
    'body_not_parsed',
    'The application has not parsed the body as JSON before this call: its parser is switched off (bodyParser: false), or gives ' +
      'the bytes alone (raw()).',
  );
}

export const unsupported = (message: string) => new Problem(415, 'unsupported_media_type', message);
