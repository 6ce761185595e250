import { type CanActivate, Scope, type Type } from '@nestjs/common';
import { SCOPE_OPTIONS_METADATA } from '@nestjs/common/constants.js';

/** Whether a class that no module provides says of itself that each request has its own. `ModuleRef.introspect` knows only providers. */
export const isRequestScoped = (guard: Type<CanActivate>): boolean =>
  Reflect.getMetadata(SCOPE_OPTIONS_METADATA, guard)?.scope === Scope.REQUEST;

/** Whether `ModuleRef.create` failed because part of what the class injects is made for each request. Nest does not export the error. */
export const needsRequest = (error: unknown): boolean =>
  (error as Error).constructor.name === 'RequestScopedCreateException';
