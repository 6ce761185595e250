import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { Call, withinCall } from '../../platform/call.js';
import { type TimedRequest, timeLeft } from '../../rest/deadline.js';

const TIMER = Symbol('timer');

interface CallRequest extends TimedRequest {
  raw: IncomingMessage;
  [TIMER]?: NodeJS.Timeout;
}

/**
 * Answers 503 when a call waits past its deadline. Uses hooks, because an interceptor would cost each call about 20 µs.
 */
export function useCallDeadlines(fastify: FastifyInstance): void {
  fastify.addHook('preHandler', (request: CallRequest, reply, done) => {
    const call = new Call();
    request[TIMER] = setTimeout(() => void reply.send(call.refuse()), timeLeft(request));
    withinCall(call, done);
  });
  fastify.addHook('onSend', (request: CallRequest, _reply, _payload, done) => {
    clearTimeout(request[TIMER]);
    done();
  });
}
