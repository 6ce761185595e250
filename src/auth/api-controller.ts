import { applyDecorators, Controller, UseFilters, UseGuards, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiExtraModels } from '@nestjs/swagger';
import { WebhookProblemDto } from '../rest/operation.js';
import { ProblemFilter } from '../rest/problem.filter.js';
import { AccessGuard } from './access.guard.js';

/**
 * A controller of the REST API. Its guard and its filter are its own, and its path says its version: an application that
 * imports it has others, and may put versions before its own paths.
 */
export const ApiController = (path: string) =>
  applyDecorators(
    Controller({ path, version: VERSION_NEUTRAL }),
    UseGuards(AccessGuard),
    UseFilters(ProblemFilter),
    ApiExtraModels(WebhookProblemDto),
  );
