import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule } from '@nestjs/swagger';
import { Logger } from 'nestjs-pino';
import { AppModule } from './app.module.js';
import type { Config } from './config/config.js';
import { CONSOLE } from './console/console-path.js';
import { Database } from './database/database.js';
import { boundWaits } from './database/mysql-bounds.js';
import { useCallDeadlines } from './http/call-deadlines.js';
import { closeConnectionsOnShutdown } from './http/close-connections.js';
import { DOCS, limitDocs } from './http/docs-files.js';
import { leadBrowsersTo } from './http/front-page.js';
import { useJsonBodies } from './http/json-body.js';
import { ownRefusals, useOwnRefusals } from './http/node-refusals.js';
import { useMethodNotAllowed } from './http/not-found.js';
import { limitPipelining } from './http/pipelining.js';
import { protocolProblems } from './http/protocol-problems.js';
import { useStrictQueries } from './http/query-encoding.js';
import { useSecurityHeaders } from './http/security-headers.js';
import { limitConnections, serverLimits } from './http/server-limits.js';
import { useUnreadBodies } from './http/unread-bodies.js';
import { createDocument } from './openapi/document.js';

/** How long to wait for the database to report which migrations have run. */
const MIGRATION_CHECK_MS = 5000;

/** Thrown at boot if migrations are pending. */
export class SchemaBehindError extends Error {
  constructor() {
    super('The database schema is behind this version. Run "npm run migration:run", then start again.');
  }
}

/**
 * Builds the service and starts everything but the HTTP server.
 *
 * @throws SchemaBehindError
 */
export async function createApp(config: Config): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    forceCloseConnections: 'idle',
    trustProxy: config.trustedProxies.length > 0 && config.trustedProxies,
    ...serverLimits,
    http: { ...serverLimits.http, ...ownRefusals },
    ...protocolProblems,
  });
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.with(config), adapter, {
    bodyParser: false,
    // Nest's start-up log only lists modules and routes; errors still show.
    logger: ['fatal', 'error', 'warn'],
    abortOnError: false,
  });
  app.enableShutdownHooks([], { useProcessExit: true });
  limitConnections(app);
  limitPipelining(app);
  useSecurityHeaders(app);
  useJsonBodies(app);
  useOwnRefusals(app);
  if (config.console && config.role !== 'worker') leadBrowsersTo(app, `/${CONSOLE}/`);
  useMethodNotAllowed(app, `/${CONSOLE}`);
  useStrictQueries(app);
  useUnreadBodies(app);
  useCallDeadlines(app);
  closeConnectionsOnShutdown(app);
  if (config.docs && config.role !== 'worker') {
    limitDocs(app);
    SwaggerModule.setup(DOCS, app, () => createDocument(app), {
      jsonDocumentUrl: `${DOCS}/openapi.json`,
      raw: ['json'],
    });
  }
  boundWaits(app.get(Database).dataSource);
  // init() starts work on the schema, so check it first.
  if (await app.get(Database).hasPendingMigrations(MIGRATION_CHECK_MS)) throw new SchemaBehindError();
  const logger = app.get(Logger);
  // While it starts, Nest logs each module and route at the level of messages.
  app.useLogger({
    log() {},
    warn: logger.warn.bind(logger),
    error: logger.error.bind(logger),
    fatal: logger.fatal.bind(logger),
  });
  await app.init();
  app.useLogger(logger);
  return app;
}
