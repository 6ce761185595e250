import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/** While the server closes, a connection ends with its answer: kept alive, it would hold up the shutdown for a minute. */
export function closeConnectionsOnShutdown(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  let closing = false;
  fastify.addHook('preClose', async () => {
    closing = true;
  });
  fastify.addHook('onSend', async (_request, reply) => {
    if (closing) reply.header('connection', 'close');
  });
  fastify.addHook('onResponse', async () => {
    if (closing) setImmediate(() => fastify.server.closeIdleConnections());
  });
}
