import type { FastifyInstance } from 'fastify';

const SHOWS_PAGES = /\btext\/html\b/i;

/** Leads a browser that opens the bare address to a page. For programs there is nothing at that address. */
export function leadBrowsersTo(fastify: FastifyInstance, page: string): void {
  fastify.addHook('onRequest', ({ is404, method, url, headers }, reply, done) => {
    const isReading = method === 'GET' || method === 'HEAD';
    if (!is404 || url !== '/' || !isReading || !SHOWS_PAGES.test(headers.accept ?? '')) return done();
    void reply.header('Vary', 'Accept').redirect(page);
  });
}
