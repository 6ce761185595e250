import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Requests of one connection that may wait for answers. No client that reads its answers has nearly as many. */
const MAX_UNANSWERED = 64;
const UNANSWERED = Symbol('unanswered');

type CountedSocket = Socket & { [UNANSWERED]?: number };

/**
 * Cuts a connection on which too many requests wait for their answers. Node hands over everything it has read at once,
 * and holds the answers until they are read: without a bound, some kilobytes of requests are worth gigabytes of answers.
 */
export function limitPipelining(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (_request, reply, done) => {
    const response = reply.raw;
    response.on('close', uncount);
    if (count(response, 1) <= MAX_UNANSWERED) return done();
    // An answer would only queue behind all the others.
    reply.hijack();
    response.req.socket.destroy();
  });
}

function uncount(this: ServerResponse): void {
  count(this, -1);
}

function count(response: ServerResponse, change: 1 | -1): number {
  const socket: CountedSocket = response.req.socket;
  const unanswered = (socket[UNANSWERED] ?? 0) + change;
  socket[UNANSWERED] = unanswered;
  return unanswered;
}
