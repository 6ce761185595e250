import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/** During shutdown, each connection ends with its answer. Keep-alive would delay the shutdown for a minute. */
export function closeConnectionsOnShutdown(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  let closing = false;
  fastify.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  fastify.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) reply.header('connection', 'close');
    done();
  });
  fastify.addHook('onResponse', (_request, _reply, done) => {
    if (closing) setImmediate(() => fastify.server.closeIdleConnections());
    done();
  });
}
