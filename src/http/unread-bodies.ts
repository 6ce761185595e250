import type { IncomingMessage } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Callers } from '../auth/callers.js';
import { carriesBody, refuseOtherThanJson } from '../common/json/json-type.js';

/** How long a client that still sends may take to read its answer. */
const LINGER_MS = 1000;

/** Judges the key before anything of the body is read, and does not read the body of what is refused. */
export function useUnreadBodies(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  const callers = app.get(Callers, { strict: false });
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (!carriesBody(request.headers) || !request.routeOptions.url?.startsWith('/v1/')) return done();
    try {
      refuseOtherThanJson(request);
    } catch (error) {
      return done(error as Error);
    }
    // What came in one piece with the headers is read by then: the connection may be kept.
    callers.of(request).then(
      () => done(),
      (error: Error) => setImmediate(done, error),
    );
  });
  fastify.addHook('onSend', ({ raw }, reply, _payload, done) => {
    if (!raw.complete && carriesBody(raw.headers)) {
      reply.header('connection', 'close');
      leaveUnread(raw);
    }
    done();
  });
}

/**
 * Node would read the rest and throw it away, or, told to close the connection, do so at once: then what the client still
 * sends is answered by a reset, which may take the answer with it. So the connection is closed on this side, not read any
 * more, and cut a little later.
 */
function leaveUnread(request: IncomingMessage): void {
  const { socket } = request;
  // Node throws away what nobody reads. Of a stream that is read, and does not flow, it takes no more than fits a buffer.
  request.on('readable', () => {});
  request.read(0);
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
  };
}
