import { Get, Query, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiController } from '../auth/api-controller.js';
import { LinkInterceptor } from '../common/link.interceptor.js';
import { type ListBody, listBody } from '../common/list.js';
import { Operation } from '../common/operation.js';
import { Caller, ownerOf, type Principal } from '../common/principal.js';
import { validQuery } from '../common/validation.js';
import { toAttemptDto, type WebhookAttemptDto, WebhookAttemptListDto } from './dto/attempt.dto.js';
import { type AttemptListQuery, attemptListQuery } from './dto/trigger-query.js';
import { LargeAnswerInterceptor } from './large-answer.interceptor.js';
import { TriggerService } from './trigger.service.js';

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
    @Query({ schema: attemptListQuery, pipes: [validQuery] }) query: AttemptListQuery,
  ): Promise<ListBody<WebhookAttemptDto>> {
    const { trigger_id, ...page } = query;
    return listBody(await this.triggers.attempts(ownerOf(caller), trigger_id, page), toAttemptDto);
  }
}
