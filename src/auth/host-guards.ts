import type { CanActivate, ExecutionContext, Type } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { isObservable, lastValueFrom } from 'rxjs';
import { forbidden } from '../common/problem.js';

/** A guard of the application: an instance, or a class that is taken from its module or instantiated. */
export type HostGuard = Type<CanActivate> | CanActivate;

/** Injection token of the application's guards, in the order in which they run. */
export const HOST_GUARDS = Symbol('HOST_GUARDS');

/** Asks the application's guards. */
export class HostGuards {
  private askable: Promise<CanActivate[]> | undefined;

  constructor(
    private readonly modules: ModuleRef,
    private readonly guards: HostGuard[],
  ) {}

  get isEmpty(): boolean {
    return this.guards.length === 0;
  }

  /** @throws Problem 403, or what a guard throws */
  async ask(context: ExecutionContext): Promise<void> {
    this.askable ??= Promise.all(this.guards.map((guard) => this.made(guard)));
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
}
