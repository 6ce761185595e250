import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Logger } from 'nestjs-pino';
import { Admission } from '../auth/admission.js';
import { CONSOLE } from '../module/console/console-path.js';
import type { ServiceConfig } from '../platform/config/service-config.js';
import { Database } from '../store/database.js';
import { boundWaits } from '../store/mysql/mysql-bounds.js';
import { checkRecorded } from '../store/schema/recorded-migrations.js';
import { AppModule } from './app.module.js';
import { useCallDeadlines } from './http/call-deadlines.js';
import { closeConnectionsOnShutdown } from './http/close-connections.js';
import { serveDocs } from './http/docs-files.js';
import { leadBrowsersTo } from './http/front-page.js';
import { useJsonBodies } from './http/json-body.js';
import { useJudgedHeads } from './http/judged-heads.js';
import { ownRefusals, useOwnRefusals } from './http/node-refusals.js';
import { useMethodNotAllowed } from './http/not-found.js';
import { limitPipelining } from './http/pipelining.js';
import { protocolProblems } from './http/protocol-problems.js';
import { useStrictQueries } from './http/query-encoding.js';
import { useSecurityHeaders } from './http/security-headers.js';
import { limitConnections, serverLimits } from './http/server-limits.js';
import { useUnreadBodies } from './http/unread-bodies.js';

/** How long to wait for the database to report which migrations have run. */
const MIGRATION_CHECK_MS = 5000;

/** Thrown at boot if migrations are pending. */
export class SchemaBehindError extends Error {
  constructor() {
    super('The database schema is behind this version. Run "npm run migration:run", then start again.');
  }
}

/** In place of Fastify's compilers of schemas, a hundred modules: routes check with zod, and answer what they made. */
const noSchemas = () => {
  throw new Error('A route has a Fastify schema, which nothing here compiles.');
};

/**
 * Builds the service and starts everything but the HTTP server.
 *
 * @throws SchemaBehindError, UnfitDatabaseError
 */
export async function createApp(config: ServiceConfig): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    forceCloseConnections: 'idle',
    trustProxy: config.trustedProxies.length > 0 && config.trustedProxies,
    ...serverLimits,
    http: { ...serverLimits.http, ...ownRefusals },
    ...protocolProblems,
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
  });
  const app = await NestFactory.create<NestFastifyApplication>(await AppModule.with(config), adapter, {
    bodyParser: false,
    // Nest's start-up log only lists modules and routes; errors still show.
    logger: ['fatal', 'error', 'warn'],
    abortOnError: false,
  });
  app.enableShutdownHooks([], { useProcessExit: true });
  const fastify = adapter.getInstance();
  limitConnections(fastify);
  limitPipelining(fastify);
  useSecurityHeaders(fastify);
  useJsonBodies(fastify);
  useOwnRefusals(fastify);
  if (config.console && config.role !== 'worker') leadBrowsersTo(fastify, `/${CONSOLE}/`);
  useMethodNotAllowed(fastify, `/${CONSOLE}`);
  useStrictQueries(fastify);
  useJudgedHeads(fastify, app.get(Admission, { strict: false }));
  useUnreadBodies(fastify);
  useCallDeadlines(fastify);
  closeConnectionsOnShutdown(fastify);
  if (config.docs && config.role !== 'worker') serveDocs(fastify);
  const database = app.get(Database);
  // Not by TypeORM, while Nest assembles the application: Nest would print what is wrong as a stack trace.
  const migrates = config.environment !== 'production' || config.databaseUrl.startsWith('sqlite:');
  if (migrates) await database.dataSource.runMigrations();
  boundWaits(database.dataSource);
  // init() starts work on the schema, so check it first.
  await checkRecorded(database.dataSource);
  if (await database.hasPendingMigrations(MIGRATION_CHECK_MS)) throw new SchemaBehindError();
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
