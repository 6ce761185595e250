import { Controller, Get, Req, Res, type Type, UseGuards, VERSION_NEUTRAL } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { OpenGuard } from '../../auth/open.guard.js';
import { Problem } from '../../platform/problem.js';
import { BROWSER_HEADERS } from '../../rest/answer-headers.js';
import { ApiExcludeController } from '../../rest/docs.js';
import { acceptedEncodings } from './accepted-encodings.js';
import { type ConsoleFile, ConsoleFiles, type Encoding } from './console-files.js';
import { pageAt } from './console-page.js';
import type { ConsoleMount } from './console-path.js';
import { mountOf, type RoutedRequest } from './mount-of.js';

/** The page runs only scripts of its own files and calls only this origin. Nobody may frame it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

const NOT_BUILT = 'The console is not built. Run "npm run build", then load this page again.\n';

type ConsoleRequest = RoutedRequest & { headers: Record<string, string | string[] | undefined> };

/** The part of an answer that Express and Fastify have in common. */
interface Response {
  status(code: number): this;
  header(name: string, value: string): this;
  send(body: Buffer): unknown;
}

/**
 * The controller of the page. It answers by itself: an application's interceptors may wrap what controllers return. The
 * application's filters handle errors, such as those of its guards: they may lead to its login.
 */
export function consoleController({ path, session }: ConsoleMount): Type<object> {
  @ApiExcludeController()
  @Controller({ path, version: VERSION_NEUTRAL })
  @UseGuards(OpenGuard)
  class ConsoleController {
    constructor(
      private readonly console: ConsoleFiles,
      { httpAdapter }: HttpAdapterHost,
    ) {
      // Routes are read after this. Express and Fastify write a wildcard differently, and Nest warns of the other's.
      const wildcard = httpAdapter.getType() === 'fastify' ? '*' : '*path';
      const { prototype } = ConsoleController;
      const serve = Object.getOwnPropertyDescriptor(prototype, 'serve') as PropertyDescriptor;
      Get(['', wildcard])(prototype, 'serve', serve);
    }

    /** Paths without a dot are pages within the page. */
    async serve(@Req() request: ConsoleRequest, @Res() response: Response): Promise<void> {
      const built = await this.console.read();
      if (!built) return sendText(response.status(503), 'text/plain; charset=utf-8', NOT_BUILT);
      const { base, rest } = mountOf(request);
      if (rest.includes('.')) return sendFile(request, response, built.files.get(rest));
      const api = `${base.slice(0, -path.length)}v1`;
      const page = pageAt(built.page, { base, api, session });
      return sendText(response, 'text/html; charset=utf-8', page);
    }
  }
  return ConsoleController;
}

/** Called only once it is known that there is something to send: an error has headers of its own. */
function begin(response: Response, type: string): Response {
  for (const [name, value] of Object.entries(BROWSER_HEADERS)) response.header(name, value);
  return response.header('Content-Security-Policy', POLICY).header('Content-Type', type);
}

function sendText(response: Response, type: string, text: string): void {
  begin(response, type).header('Cache-Control', 'no-store').send(Buffer.from(text));
}

/** @throws Problem 404 */
function sendFile({ headers }: ConsoleRequest, response: Response, file: ConsoleFile | undefined): void {
  if (!file) throw new Problem(404, 'route_not_found', 'There is no such file.');
  const encoding = encodingFor(String(headers['accept-encoding'] ?? ''), file);
  if (encoding !== 'identity') response.header('Content-Encoding', encoding);
  begin(response, file.type)
    .header('Vary', 'Accept-Encoding')
    .header('Cache-Control', `public, max-age=${file.isHashed ? '31536000, immutable' : '3600'}`)
    .send(file.bytes[encoding] ?? file.bytes.identity);
}

/** The smallest form that the client reads. */
function encodingFor(accepted: string, { bytes }: ConsoleFile): Encoding {
  const named = acceptedEncodings(accepted);
  return (
    (['br', 'gzip'] as const).find((encoding) => bytes[encoding] && named.includes(encoding)) ?? 'identity'
  );
}
