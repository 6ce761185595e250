import type { IncomingMessage } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { onRequestHookHandler } from 'fastify';
import { Callers } from '../auth/callers.js';
import { carriesBody, refuseOtherThanJson } from '../common/json/json-type.js';

/** Whoever logs in has the key in the body. */
const WITHOUT_KEY = '/v1/session';

/** How long a client that is still sending may take to read its answer. */
const LINGER_MS = 1000;

/** Checks the key before any of the body is read, and leaves the body of a refused call unread. */
export function useUnreadBodies(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  const judge = judgeBy(app.get(Callers, { strict: false }));
  fastify.addHook('onRoute', (route) => {
    if (route.url.startsWith('/v1/') && route.url !== WITHOUT_KEY)
      route.onRequest = [route.onRequest ?? [], judge].flat();
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
    // A body that arrived together with the headers has been read by then, so the connection may be kept.
    Promise.resolve(callers.of(request)).then(
      () => done(),
      (error: Error) => setImmediate(done, error),
    );
  };
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
