import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule } from '@nestjs/swagger';
import { Logger } from 'nestjs-pino';
import { AppModule } from './app.module.js';
import type { Config } from './config/config.js';
import { MAX_BODY_BYTES, useJsonBodies } from './http/json-body.js';
import { useMethodNotAllowed } from './http/not-found.js';
import { createDocument } from './openapi/document.js';

/** The service, running, and ready to listen. */
export async function createApp(config: Config): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: 30_000,
    forceCloseConnections: 'idle',
  });
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.with(config), adapter, {
    bodyParser: false,
    // Which modules and routes there are is in the documentation; what goes wrong while they are made is not.
    logger: ['fatal', 'error', 'warn'],
    abortOnError: false,
  });
  app.enableShutdownHooks();
  useJsonBodies(app);
  useMethodNotAllowed(app);
  if (config.role !== 'worker') {
    SwaggerModule.setup('docs', app, () => createDocument(app), { jsonDocumentUrl: 'docs/openapi.json' });
  }
  await app.init();
  app.useLogger(app.get(Logger));
  return app;
}
