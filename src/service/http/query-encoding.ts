import type { FastifyInstance } from 'fastify';
import { type FieldError, invalid } from '../../platform/problem.js';

/** Refuses a query that is not percent-encoded UTF-8: Fastify would take the undecodable part literally. */
export function useStrictQueries(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', ({ is404, url }, _reply, done) => {
    const start = url.indexOf('?');
    const wrong = is404 || start < 0 || !url.includes('%', start) ? [] : notEncoded(url.slice(start + 1));
    done(wrong.length > 0 ? invalid(wrong) : undefined);
  });
}

function notEncoded(query: string): FieldError[] {
  return query
    .split('&')
    .filter((parameter) => !isEncoded(parameter))
    .map((parameter) => ({
      pointer: `?${parameter.split('=', 1)[0]}`,
      message: 'must be percent-encoded UTF-8',
    }));
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
