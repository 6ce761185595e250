import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DOCUMENT_FILE } from '../document-file.js';
import { DOCS_SCRIPT, docsPage } from './docs-page.js';

const PATH = '/docs';
const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

/** The files of Swagger UI that the page needs. Their package holds much more. */
const FILES = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': SCRIPT,
  'swagger-ui-standalone-preset.js': SCRIPT,
  'favicon-16x16.png': 'image/png',
  'favicon-32x32.png': 'image/png',
};

/** Serves Swagger UI and the document. All are files, read when asked for: making the document would block the process. */
export function serveDocs(fastify: FastifyInstance): void {
  const text = (path: string, type: string, content: string) =>
    fastify.get(PATH + path, (_request, reply) => reply.type(type).send(content));
  const file = (path: string, type: string, find: () => string) =>
    fastify.get(PATH + path, (request, reply) => sendFile(request, reply, { type, path: find() }));

  text('', HTML, docsPage('./docs/'));
  text('/', HTML, docsPage('./'));
  text('/swagger-ui-init.js', SCRIPT, DOCS_SCRIPT);
  file('/openapi.json', 'application/json; charset=utf-8', () => DOCUMENT_FILE);
  for (const [name, type] of Object.entries(FILES)) file(`/${name}`, type, () => join(swaggerUi(), name));
}

/** Swagger UI comes with the library that makes the document. */
function swaggerUi(): string {
  const library = createRequire(import.meta.url).resolve('@nestjs/swagger/package.json');
  return dirname(createRequire(library).resolve('swagger-ui-dist/package.json'));
}

interface SentFile {
  type: string;
  path: string;
}

async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, path }: SentFile,
): Promise<FastifyReply> {
  const { size, mtimeMs } = await stat(path);
  const tag = `W/"${size.toString(16)}-${Math.trunc(mtimeMs).toString(16)}"`;
  reply.header('Cache-Control', 'no-cache').header('ETag', tag);
  if (request.headers['if-none-match'] === tag) return reply.status(304).send();
  return reply.type(type).header('Content-Length', size).send(createReadStream(path));
}
