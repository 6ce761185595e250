import { applyDecorators, Controller, UseFilters, UseGuards, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiExtraModels } from '@nestjs/swagger';
import { WebhookProblemDto } from '../rest/operation.js';
import { ProblemFilter } from '../rest/problem.filter.js';
import { AccessGuard } from './access.guard.js';

/**
 * A controller of the REST API. It brings its own guard and filter, and its path contains its version, because the
 * application that imports it has other guards, filters and versions.
 */
export const ApiController = (path: string) =>
  applyDecorators(
    Controller({ path, version: VERSION_NEUTRAL }),
    UseGuards(AccessGuard),
    UseFilters(ProblemFilter),
    ApiExtraModels(WebhookProblemDto),
  );
