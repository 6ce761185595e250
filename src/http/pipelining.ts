import type { Socket } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/** Requests of one connection that are being answered; no client that waits for its answers has nearly as many. */
const MAX_UNANSWERED = 64;

/**
 * Cuts a connection on which too many requests wait for their answers. Node hands over at once all that it has read, and
 * holds the answers until they are read: without a bound, some kilobytes of requests are worth gigabytes of answers.
 */
export function limitPipelining(app: NestFastifyApplication): void {
  const unanswered = new WeakMap<Socket, number>();
  const add = (socket: Socket, change: 1 | -1) => {
    const count = (unanswered.get(socket) ?? 0) + change;
    unanswered.set(socket, count);
    return count;
  };
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRequest', ({ raw: { socket } }, reply, done) => {
    reply.raw.once('close', () => add(socket, -1));
    if (add(socket, 1) <= MAX_UNANSWERED) return done();
    // Nobody is told: the answer would stand behind all the others.
    reply.hijack();
    socket.destroy();
  });
}
