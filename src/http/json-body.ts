import type { IncomingHttpHeaders } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { jsonDepth } from '../common/json-text.js';
import { Problem } from '../common/problem.js';

/** The largest body that any call takes, in bytes: a notification's. */
export const MAX_BODY_BYTES = 1024 * 1024;
const MAX_MANAGEMENT_BYTES = 256 * 1024;
const MAX_DEPTH = 64;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** Of the parameter of a content type; JSON needs none. */
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i;

interface BodyRequest {
  method: string;
  headers: IncomingHttpHeaders;
  routeOptions: { url?: string };
  rawBody?: Buffer;
}

/** Takes JSON and nothing else: within its size, UTF-8, and not too deep; the source text stays on the request. */
export function useJsonBodies(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES },
    (request, body, done) => {
      try {
        done(null, parse(request as unknown as BodyRequest, body));
      } catch (error) {
        done(error as Error);
      }
    },
  );
}

function parse(request: BodyRequest, bytes: Buffer): unknown {
  if (bytes.length === 0 && request.method === 'DELETE') return undefined;
  if (bytes.length > MAX_MANAGEMENT_BYTES && request.routeOptions.url !== '/v1/notification')
    throw tooLarge();
  checkEncoding(request.headers);
  const text = decode(bytes);
  if (jsonDepth(text, MAX_DEPTH) > MAX_DEPTH) {
    throw new Problem(400, 'json_too_deep', `The body is nested deeper than ${MAX_DEPTH} levels.`);
  }
  request.rawBody = bytes;
  try {
    return JSON.parse(text);
  } catch {
    throw malformed('The body is not valid JSON.');
  }
}

function checkEncoding({ 'content-type': type, 'content-encoding': coding }: IncomingHttpHeaders): void {
  const charset = CHARSET.exec(type ?? '')?.[1];
  if (/^utf-?8$/i.test(charset ?? 'utf-8') && /^identity$/i.test(coding ?? 'identity')) return;
  throw new Problem(415, 'unsupported_media_type', 'Send the body as UTF-8, and not compressed.');
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformed('The body is not valid UTF-8.');
  }
}

const malformed = (message: string) => new Problem(400, 'malformed_json', message);

const tooLarge = () => new Problem(413, 'body_too_large', 'The body is larger than 256 KiB.');
