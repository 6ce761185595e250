import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * During shutdown, each connection ends with its answer. Keep-alive would delay the shutdown for a minute, and a connection on
 * which no request has come for ten seconds: browsers open some in advance.
 */
export function closeConnectionsOnShutdown(fastify: FastifyInstance): void {
  let closing = false;
  const unused = new Set<Socket>();
  fastify.server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  fastify.server.on('request', ({ socket }) => unused.delete(socket));
  fastify.addHook('preClose', (done) => {
    closing = true;
    for (const socket of unused) if (socket.bytesRead === 0) socket.destroy();
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
