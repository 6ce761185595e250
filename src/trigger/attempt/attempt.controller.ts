import { Get, Query, UseInterceptors } from '@nestjs/common';
import { ApiController } from '../../auth/api-controller.js';
import { toAnswer } from '../../rest/answer.js';
import { camelKeys } from '../../rest/camel.js';
import { ApiTags } from '../../rest/docs.js';
import { LargeAnswerInterceptor } from '../../rest/large-answer/large-answer.interceptor.js';
import { LinkInterceptor } from '../../rest/link.interceptor.js';
import { Operation } from '../../rest/operation.js';
import { Caller, ownerOf, type Principal } from '../../rest/principal.js';
import { validQuery } from '../../rest/validation.js';
import { WebhookAttemptListDto } from '../dto/attempt.dto.js';
import { type AttemptListQuery, attemptListQuery } from '../dto/trigger-query.js';
import { TriggerService } from '../trigger.service.js';

@ApiTags('Trigger')
@ApiController('v1/webhook/trigger/attempt')
@UseInterceptors(LargeAnswerInterceptor)
export class AttemptController {
  constructor(private readonly triggers: TriggerService) {}

  @Get('list')
  @UseInterceptors(LinkInterceptor)
  @Operation({
    id: 'listAttempts',
    summary: 'List the attempts of a trigger, newest first',
    description: 'A page ends after 1 MiB of responses, however few attempts that are.',
    scope: 'webhooks:read',
    answer: WebhookAttemptListDto,
    problems: [404],
  })
  async list(
    @Caller() caller: Principal,
    @Query(validQuery(attemptListQuery)) query: AttemptListQuery,
  ): Promise<WebhookAttemptListDto> {
    return toAnswer(WebhookAttemptListDto, await this.triggers.attempts(ownerOf(caller), camelKeys(query)));
  }
}
