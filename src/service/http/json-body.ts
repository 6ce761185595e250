import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { jsonSource } from '../../platform/json/json-source.js';
import { refuseOtherThanJson, unsupported } from '../../platform/json/json-type.js';
import { keepSource, type SourceRequest } from '../../rest/body-source.js';
import { readBody } from './read-body.js';

/** Bytes of a notification's body. */
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_MANAGEMENT_BYTES = 256 * 1024;
/** Bytes that are read of a caller who is not known yet. */
const MAX_LOGIN_BYTES = 1024;
const LIMITS: Record<string, number> = { '/v1/notification': MAX_BODY_BYTES, '/v1/session': MAX_LOGIN_BYTES };
const MAX_DEPTH = 64;

interface BodyRequest extends SourceRequest {
  method: string;
  headers: IncomingHttpHeaders;
}

/** Accepts only JSON: UTF-8, within limits of size and depth. Keeps the source on the request, as bytes and as text. */
export function useJsonBodies(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route) => {
    route.bodyLimit = LIMITS[route.url] ?? MAX_MANAGEMENT_BYTES;
  });
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', (request, body, done) => {
    readBody(body, request.routeOptions.bodyLimit, (error, bytes) => {
      if (!bytes) return done(error);
      let value: unknown;
      try {
        value = parse(request as unknown as BodyRequest, bytes);
      } catch (refusal) {
        return done(refusal as Error);
      }
      done(null, value);
    });
  });
}

function parse(request: BodyRequest, bytes: Buffer): unknown {
  if (bytes.length === 0 && request.method === 'DELETE') return undefined;
  refuseOtherThanJson(request);
  refuseCompressed(request.headers);
  const { text, value } = jsonSource(bytes, MAX_DEPTH);
  request.rawBody = bytes;
  keepSource(request, text);
  return value;
}

function refuseCompressed({ 'content-encoding': coding }: IncomingHttpHeaders): void {
  if (/^identity$/i.test(coding ?? 'identity')) return;
  throw unsupported('Send the body as UTF-8, and not compressed.');
}
