import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost, ModuleRef, Reflector } from '@nestjs/core';
import { outsideOfCalls } from '../common/call.js';
import { refuseOtherThanJson } from '../common/json/json-type.js';
import { forbidden } from '../common/problem.js';
import { untilDeadline } from '../rest/deadline.js';
import { refuseLoop } from '../rest/hops.js';
import { refuseQuery } from '../rest/no-query.js';
import { isAdmin, type Principal, type Scope, scopeMetadata } from '../rest/principal.js';
import { Callers } from './callers.js';
import { HOST_GUARDS, type HostGuard, HostGuards } from './host-guards.js';
import { RateLimiter, type TakenCall } from './limits/rate-limiter.js';
import { rateLimited } from './limits/rate-window.js';

/** Admits calls that carry valid credentials and the scope of their endpoint, within the rate limit. */
@Injectable()
export class AccessGuard implements CanActivate {
  private readonly host: HostGuards;

  constructor(
    private readonly reflector: Reflector,
    private readonly http: HttpAdapterHost,
    private readonly limiter: RateLimiter,
    private readonly callers: Callers,
    modules: ModuleRef,
    @Inject(HOST_GUARDS) hostGuards: HostGuard[],
  ) {
    this.host = new HostGuards(modules, hostGuards);
  }

  /** Returns a plain value when nothing has to be awaited, as for a notification from a known caller. */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest();
    refuseLoop(request);
    refuseOtherThanJson(request);
    if (!this.host.isEmpty) return this.askHost(context);
    const caller = this.callers.of(request);
    return caller instanceof Promise
      ? caller.then((principal) => this.admit(principal, context))
      : this.admit(caller, context);
  }

  private async askHost(context: ExecutionContext): Promise<boolean> {
    await this.host.ask(context);
    return this.admit(await this.callers.of(context.switchToHttp().getRequest()), context);
  }

  private admit(principal: Principal, context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest();
    const scope = this.reflector.getAllAndOverride<Scope | undefined>(scopeMetadata, [
      context.getHandler(),
      context.getClass(),
    ]);
    const policy = scope === 'notifications:write' ? 'notification' : 'management';
    // Runs outside of the call: the counter's own commit must not count as data that the call stored.
    const taking = outsideOfCalls(() => this.limiter.take(principal.clientId, policy));
    if (!taking) return this.check(principal, scope, request);
    return untilDeadline(request, taking).then((taken) => {
      this.limit(taken, context);
      return this.check(principal, scope, request);
    });
  }

  private limit({ headers, allowed, resetSeconds }: TakenCall, context: ExecutionContext): void {
    const response = context.switchToHttp().getResponse();
    for (const [name, value] of Object.entries(headers)) {
      this.http.httpAdapter.setHeader(response, name, value);
    }
    if (!allowed) throw rateLimited('by this caller', resetSeconds);
  }

  private check(
    principal: Principal,
    scope: Scope | undefined,
    request: { method: string; query?: object },
  ): true {
    if (scope && !isAdmin(principal) && !principal.scopes.includes(scope)) {
      throw forbidden(`The caller lacks the scope "${scope}".`);
    }
    refuseQuery(request);
    return true;
  }
}
