import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import type { Admission } from '../../auth/admission.js';
import { refuseLoop } from '../../engine/send/hops.js';
import type { Scope } from '../../platform/access/scope.js';
import { carriesBody, refuseOtherThanJson } from '../../platform/json/json-type.js';
import { scopeOf } from '../../rest/principal.js';
import { BodyCapacity } from './body-capacity.js';

/** Whoever logs in has the key in the body. */
const WITHOUT_KEY = '/v1/session';

/** Judges a call that has a body by its head, before any of the body is read. */
export function useJudgedHeads(fastify: FastifyInstance, admission: Admission): void {
  const capacity = new BodyCapacity();
  const judgeBy =
    (scope: Scope | null, maxBytes: number): onRequestHookHandler =>
    (request, reply, done) => {
      if (!carriesBody(request.headers)) return done();
      try {
        refuseLoop(request);
        refuseOtherThanJson(request);
      } catch (error) {
        return done(error as Error);
      }
      // A body that arrived together with the headers has been read by then, so the connection may be kept.
      const refuse = (error: Error) => void setImmediate(done, error);
      Promise.resolve(admission.admit(request, reply, scope)).then(({ clientId }) => {
        const waiting = capacity.reserve(clientId, reply.raw, maxBytes);
        if (waiting) waiting.then(() => done(), refuse);
        else done();
      }, refuse);
    };
  fastify.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/v1/') || route.url === WITHOUT_KEY) return;
    const judge = judgeBy(scopeOf(route.handler), route.bodyLimit ?? Number.POSITIVE_INFINITY);
    route.onRequest = [route.onRequest ?? [], judge].flat();
  });
}
