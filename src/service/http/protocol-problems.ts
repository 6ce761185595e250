import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { PROBLEM_TYPE, Problem, pathOf } from '../../platform/problem.js';
import { API_HEADERS } from './security-headers.js';

const badUrl = new Problem(400, 'bad_request', 'The URL is malformed.');
const notHttp = new Problem(400, 'bad_request', 'The request is malformed.');
const BY_CODE: Record<string, Problem> = {
  ERR_HTTP_REQUEST_TIMEOUT: new Problem(408, 'request_timeout', 'The request took too long to arrive.'),
  HPE_HEADER_OVERFLOW: new Problem(431, 'headers_too_large', 'The request headers are too large.'),
};

/** Fastify options: requests refused before they reach a route or filter are answered in the same form. */
export const protocolProblems = {
  frameworkErrors(_error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
    const body = badUrl.toBody(pathOf(request.raw.url));
    void reply.code(badUrl.status).headers(API_HEADERS).type(PROBLEM_TYPE).send(JSON.stringify(body));
  },
  clientErrorHandler(error: Error & { code?: string }, socket: Socket): void {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    const problem = BY_CODE[error.code ?? ''] ?? notHttp;
    const details = problem.toBody('/');
    const body = JSON.stringify(details);
    const head = [
      `HTTP/1.1 ${problem.status} ${details.title}`,
      ...Object.entries(API_HEADERS).map(([name, value]) => `${name}: ${value}`),
      `Content-Type: ${PROBLEM_TYPE}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
    ];
    if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    socket.destroy(error);
  },
};
