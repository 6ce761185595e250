import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  type OnModuleInit,
  Scope,
  type Type,
} from '@nestjs/common';
import { type ContextId, ContextIdFactory, ModuleRef } from '@nestjs/core';
import { isObservable, lastValueFrom } from 'rxjs';
import { isRequestScoped, needsRequest } from '../nest/guard-scope.js';
import { ConfigError } from '../platform/config/config-error.js';
import { forbidden } from '../platform/problem.js';

/** A guard of the application: an instance, or a class that is taken from its module or instantiated. */
export type HostGuard = Type<CanActivate> | CanActivate;

/** Injection token of the application's guards, in the order in which they run. */
export const HOST_GUARDS = Symbol('HOST_GUARDS');

/** Makes a guard that each request has its own of. */
type PerRequest = (context: ContextId) => Promise<CanActivate>;

/** Asks the application's guards, which are made at the start. */
@Injectable()
export class HostGuards implements OnModuleInit {
  private made: (CanActivate | PerRequest)[] = [];

  constructor(
    private readonly modules: ModuleRef,
    @Inject(HOST_GUARDS) private readonly guards: HostGuard[],
  ) {}

  /** @throws ConfigError for one that cannot be made, as Nest does for guards of controllers. */
  async onModuleInit(): Promise<void> {
    this.made = await Promise.all(this.guards.map((guard) => this.make(guard)));
  }

  get isEmpty(): boolean {
    return this.guards.length === 0;
  }

  /** @throws Problem 403, or what a guard throws */
  async ask(context: ExecutionContext): Promise<void> {
    for (const guard of await this.guardsFor(context)) {
      const answer = guard.canActivate(context);
      const admitted = await (isObservable(answer) ? lastValueFrom(answer) : answer);
      if (!admitted) throw forbidden('The application does not let this call through.');
    }
  }

  /** The guards of a request share one context, and so what Nest makes once for each request. */
  private async guardsFor(context: ExecutionContext): Promise<CanActivate[]> {
    if (!this.made.some(isPerRequest)) return this.made as CanActivate[];
    const request = context.switchToHttp().getRequest();
    const id = ContextIdFactory.getByRequest(request);
    this.modules.registerRequestByContextId(request, id);
    return Promise.all(this.made.map((guard) => (isPerRequest(guard) ? guard(id) : guard)));
  }

  private async make(guard: HostGuard): Promise<CanActivate | PerRequest> {
    if (typeof guard !== 'function') return guard;
    try {
      switch (this.scopeOf(guard)) {
        case Scope.DEFAULT:
          return this.modules.get(guard, { strict: false });
        case Scope.TRANSIENT:
          return await this.modules.resolve(guard, undefined, { strict: false });
        case Scope.REQUEST:
          return (context) => this.modules.resolve(guard, context, { strict: false });
        default:
          return await this.create(guard);
      }
    } catch (error) {
      const [why = ''] = (error as Error).message.split('\n', 1);
      throw new ConfigError([
        `guards: ${guard.name} cannot be made: ${why.replace(/[.:]?$/, '.')} Provide it in a module that has what it injects, or pass an instance`,
      ]);
    }
  }

  /** @returns undefined if no module provides it. */
  private scopeOf(guard: Type<CanActivate>): Scope | undefined {
    try {
      return this.modules.introspect(guard).scope;
    } catch {
      return undefined;
    }
  }

  private async create(guard: Type<CanActivate>): Promise<CanActivate | PerRequest> {
    const perRequest: PerRequest = (context) => this.modules.create(guard, context);
    try {
      const made = await this.modules.create(guard);
      return isRequestScoped(guard) ? perRequest : made;
    } catch (error) {
      if (needsRequest(error)) return perRequest;
      throw error;
    }
  }
}

const isPerRequest = (guard: CanActivate | PerRequest): guard is PerRequest => typeof guard === 'function';
