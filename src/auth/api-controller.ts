import {
  applyDecorators,
  type CanActivate,
  Controller,
  type Type,
  UseFilters,
  UseGuards,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { Unserialized } from '../nest/host-interceptors.js';
import { ApiExtraModels } from '../rest/docs.js';
import { WebhookProblemDto } from '../rest/operation.js';
import { ProblemFilter } from '../rest/problem.filter.js';
import { AccessGuard } from './access.guard.js';
import { OpenGuard } from './open.guard.js';

/**
 * A controller of the REST API. It brings its own guard and filter, and its path contains its version, because the
 * application that imports it has other guards, filters and versions.
 */
export const ApiController = (path: string) => guarded(path, AccessGuard);

/** The same, for callers who are not known yet. */
export const OpenApiController = (path: string) => guarded(path, OpenGuard);

const guarded = (path: string, Guard: Type<CanActivate>) =>
  applyDecorators(
    Controller({ path, version: VERSION_NEUTRAL }),
    UseGuards(Guard),
    UseFilters(ProblemFilter),
    Unserialized(),
    ApiExtraModels(WebhookProblemDto),
  );
