import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { carriesBody } from '../../platform/json/json-type.js';

/** How long a client that is still sending may take to read its answer. */
const LINGER_MS = 1000;

/** Leaves unread what has not been read of a body when its call is answered. */
export function useUnreadBodies(fastify: FastifyInstance): void {
  fastify.addHook('onSend', ({ raw }, reply, _payload, done) => {
    if (!raw.complete && carriesBody(raw.headers)) {
      reply.header('connection', 'close');
      leaveUnread(raw);
    }
    done();
  });
}

/**
 * Node would read and discard the rest of the body or, told to close the connection, close it at once. It would then
 * answer further bytes from the client with a reset, which may destroy the answer. So this closes our side of the
 * connection, reads nothing more, and cuts the connection a little later.
 */
function leaveUnread(request: IncomingMessage): void {
  const { socket } = request;
  // Node discards a body that nobody reads. With a `readable` listener it takes at most one buffer.
  request.on('readable', () => {});
  request.read(0);
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
  };
}
