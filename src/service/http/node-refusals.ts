import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { PROBLEM_TYPE, Problem, pathOf } from '../../platform/problem.js';
import { API_HEADERS } from './security-headers.js';

/** For Fastify's `http` options: {@link useOwnRefusals} checks the header instead of Node. */
export const ownRefusals = { requireHostHeader: false };

const noHost = new Problem(400, 'bad_request', 'The request has no Host header.');
const unknownExpectation = new Problem(
  417,
  'expectation_failed',
  'The only expectation that can be met is 100-continue; leave the Expect header out.',
);

/** Answers with a problem where Node would refuse a request without saying why. */
export function useOwnRefusals(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', ({ headers, raw }, _reply, done) => {
    done(headers.host === undefined && raw.httpVersion === '1.1' ? noHost : undefined);
  });
  fastify.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const body = unknownExpectation.toBody(pathOf(request.url));
    response
      .writeHead(unknownExpectation.status, {
        ...API_HEADERS,
        'Content-Type': PROBLEM_TYPE,
      })
      .end(JSON.stringify(body));
  });
}
