import type { IncomingMessage } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { onRequestHookHandler } from 'fastify';
import { Callers } from '../auth/callers.js';
import { carriesBody, refuseOtherThanJson } from '../common/json/json-type.js';

/** How long a client that still sends may take to read its answer. */
const LINGER_MS = 1000;

/** Checks the key before any of the body is read, and leaves the body of a refused call unread. */
export function useUnreadBodies(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  const judge = judgeBy(app.get(Callers, { strict: false }));
  fastify.addHook('onRoute', (route) => {
    if (route.url.startsWith('/v1/')) route.onRequest = [route.onRequest ?? [], judge].flat();
  });
  fastify.addHook('onSend', ({ raw }, reply, _payload, done) => {
    if (!raw.complete && carriesBody(raw.headers)) {
      reply.header('connection', 'close');
      leaveUnread(raw);
    }
    done();
  });
}

function judgeBy(callers: Callers): onRequestHookHandler {
  return (request, _reply, done) => {
    if (!carriesBody(request.headers)) return done();
    try {
      refuseOtherThanJson(request);
    } catch (error) {
      return done(error as Error);
    }
    // A body that came in one piece with the headers is read by then, so the connection may be kept.
    Promise.resolve(callers.of(request)).then(
      () => done(),
      (error: Error) => setImmediate(done, error),
    );
  };
}

/**
 * Node would read the rest of the body and throw it away, or, told to close the connection, close at once: then whatever
 * the client still sends is answered by a reset, which may take the answer with it. So this side of the connection is
 * closed, nothing more is read, and the connection is cut a little later.
 */
function leaveUnread(request: IncomingMessage): void {
  const { socket } = request;
  // Node discards what nobody reads. From a stream that is read but does not flow, it takes no more than one buffer.
  request.on('readable', () => {});
  request.read(0);
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
  };
}
