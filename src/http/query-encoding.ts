import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { invalid } from '../common/problem.js';

/** Refuses a query that is not percent-encoded UTF-8: what cannot be decoded would be taken as it stands. */
export function useStrictQueries(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRequest', async (request) => {
    const start = request.url.indexOf('?');
    if (request.is404 || start < 0 || !request.url.includes('%', start)) return;
    const wrong = request.url
      .slice(start + 1)
      .split('&')
      .filter((parameter) => !isEncoded(parameter));
    if (wrong.length === 0) return;
    throw invalid(
      wrong.map((parameter) => ({
        pointer: `?${parameter.split('=', 1)[0]}`,
        message: 'must be percent-encoded UTF-8',
      })),
    );
  });
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
