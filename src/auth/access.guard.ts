import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost, Reflector } from '@nestjs/core';
import { untilDeadline } from '../common/deadline.js';
import { refuseLoop } from '../common/hops.js';
import { isAdmin, PRINCIPAL, type Principal, type Scope, scopeMetadata } from '../common/principal.js';
import { forbidden, Problem } from '../common/problem.js';
import { AUTHENTICATOR, type Authenticator } from './authenticator.js';
import { RateLimiter } from './rate-limiter.js';

/** Lets a call through that carries valid credentials and the scope its endpoint asks for, at a fair rate. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly http: HttpAdapterHost,
    private readonly limiter: RateLimiter,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest();
    refuseLoop(request);
    const scope = this.reflector.getAllAndOverride<Scope>(scopeMetadata, [
      context.getHandler(),
      context.getClass(),
    ]);
    const principal = await untilDeadline(request, this.authenticator.authenticate(request));
    if (!principal) throw unauthenticated();
    await this.limit(principal, scope, context);
    if (!isAdmin(principal) && !principal.scopes.includes(scope)) {
      throw forbidden(`This key lacks the scope "${scope}".`);
    }
    request[PRINCIPAL] = principal;
    return true;
  }

  private async limit(principal: Principal, scope: Scope, context: ExecutionContext): Promise<void> {
    const taking = this.limiter.take(
      principal.clientId,
      scope === 'notifications:write' ? 'notification' : 'management',
    );
    if (!taking) return;
    const http = context.switchToHttp();
    const taken = await untilDeadline(http.getRequest(), taking);
    const response = http.getResponse();
    for (const [name, value] of Object.entries(taken.headers)) {
      this.http.httpAdapter.setHeader(response, name, value);
    }
    if (taken.allowed) return;
    throw new Problem(
      429,
      'rate_limited',
      `Too many calls with this key; try again in ${taken.resetSeconds} s.`,
      {
        headers: { 'Retry-After': String(taken.resetSeconds) },
      },
    );
  }
}

function unauthenticated(): Problem {
  return new Problem(401, 'unauthenticated', 'Send a valid API key as "Authorization: Bearer whk_…".', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}
