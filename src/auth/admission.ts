import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Scope } from '../platform/access/scope.js';
import { outsideOfContexts } from '../platform/contexts.js';
import { forbidden } from '../platform/problem.js';
import { type TimedRequest, untilDeadline } from '../rest/deadline.js';
import { refuseQuery } from '../rest/no-query.js';
import { isAdmin, type Principal } from '../rest/principal.js';
import type { IncomingRequest } from './authenticator.js';
import { Callers } from './callers.js';
import { RateLimiter, type TakenCall } from './limits/rate-limiter.js';
import { rateLimited } from './limits/rate-window.js';

const COUNTED = Symbol('counted');

type Request = IncomingRequest & TimedRequest & { method: string; query?: unknown; [COUNTED]?: true };

/**
 * Judges by the head of a call whether its caller may make it: who it is, the rate limit, the scope, the query. The service
 * asks before it reads a body, and the guard of the controllers once more, or for the first time: a call counts once.
 */
@Injectable()
export class Admission {
  constructor(
    private readonly callers: Callers,
    private readonly limiter: RateLimiter,
    private readonly http: HttpAdapterHost,
  ) {}

  /**
   * @param scope null if any caller may make the call.
   * @returns the caller, without a promise if nothing has to be awaited.
   * @throws Problem 400, 401, 403, 429 or 503, at once or later
   */
  admit(request: Request, response: object, scope: Scope | null): Principal | Promise<Principal> {
    const caller = this.callers.of(request);
    return caller instanceof Promise
      ? caller.then((known) => this.judge(known, request, response, scope))
      : this.judge(caller, request, response, scope);
  }

  private judge(
    caller: Principal,
    request: Request,
    response: object,
    scope: Scope | null,
  ): Principal | Promise<Principal> {
    const taking = request[COUNTED] ? null : this.count(caller, request, scope);
    if (!taking) return this.check(caller, request, scope);
    return untilDeadline(request, taking).then((taken) => {
      this.tell(taken, response);
      return this.check(caller, request, scope);
    });
  }

  /** @returns null if there is no limit. */
  private count(caller: Principal, request: Request, scope: Scope | null): Promise<TakenCall> | null {
    request[COUNTED] = true;
    const policy = scope === 'notifications:write' ? 'notification' : 'management';
    // Runs outside of the call: the counter's own commit must not count as data that the call stored.
    return outsideOfContexts(() => this.limiter.take(caller.clientId, policy));
  }

  private tell({ headers, allowed, resetSeconds }: TakenCall, response: object): void {
    for (const [name, value] of Object.entries(headers)) {
      this.http.httpAdapter.setHeader(response, name, value);
    }
    if (!allowed) throw rateLimited('by this caller', resetSeconds);
  }

  private check(caller: Principal, request: Request, scope: Scope | null): Principal {
    if (scope && !isAdmin(caller) && !caller.scopes.includes(scope)) {
      throw forbidden(`The caller lacks the scope "${scope}".`);
    }
    refuseQuery(request);
    return caller;
  }
}
