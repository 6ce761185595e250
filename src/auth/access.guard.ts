import { type CanActivate, type ExecutionContext, Inject, Injectable, type Type } from '@nestjs/common';
import { HttpAdapterHost, ModuleRef, Reflector } from '@nestjs/core';
import { isObservable, lastValueFrom } from 'rxjs';
import { refuseOtherThanJson } from '../common/json/json-type.js';
import { forbidden } from '../common/problem.js';
import { untilDeadline } from '../rest/deadline.js';
import { refuseLoop } from '../rest/hops.js';
import { isAdmin, type Principal, type Scope, scopeMetadata } from '../rest/principal.js';
import { Callers } from './callers.js';
import { RateLimiter } from './limits/rate-limiter.js';
import { rateLimited } from './limits/rate-window.js';

/** A guard of the application's: an instance, or a class, which is taken from its module or made. */
export type HostGuard = Type<CanActivate> | CanActivate;

/** Injection token of the application's guards, in the order in which they are asked. */
export const HOST_GUARDS = Symbol('HOST_GUARDS');

/** Lets a call through that carries valid credentials and the scope its endpoint asks for, at a fair rate. */
@Injectable()
export class AccessGuard implements CanActivate {
  private askable: Promise<CanActivate[]> | undefined;

  constructor(
    private readonly reflector: Reflector,
    private readonly http: HttpAdapterHost,
    private readonly limiter: RateLimiter,
    private readonly modules: ModuleRef,
    private readonly callers: Callers,
    @Inject(HOST_GUARDS) private readonly hostGuards: HostGuard[],
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest();
    refuseLoop(request);
    refuseOtherThanJson(request);
    const scope = this.reflector.getAllAndOverride<Scope>(scopeMetadata, [
      context.getHandler(),
      context.getClass(),
    ]);
    await this.askHost(context);
    const principal = await this.callers.of(request);
    await this.limit(principal, scope, context);
    if (!isAdmin(principal) && !principal.scopes.includes(scope)) {
      throw forbidden(`The caller lacks the scope "${scope}".`);
    }
    return true;
  }

  private async askHost(context: ExecutionContext): Promise<void> {
    if (this.hostGuards.length === 0) return;
    this.askable ??= Promise.all(this.hostGuards.map((guard) => this.made(guard)));
    for (const guard of await this.askable) {
      const answer = guard.canActivate(context);
      const admitted = await (isObservable(answer) ? lastValueFrom(answer) : answer);
      if (!admitted) throw forbidden('The application does not let this call through.');
    }
  }

  private made(guard: HostGuard): CanActivate | Promise<CanActivate> {
    if (typeof guard !== 'function') return guard;
    try {
      return this.modules.get(guard, { strict: false });
    } catch {
      return this.modules.create(guard);
    }
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
    throw rateLimited('by this caller', taken.resetSeconds);
  }
}
