import { Get, Query } from '@nestjs/common';
import { toAnswer } from '../rest/answer.js';
import { ApiTags } from '../rest/docs.js';
import { noQuery } from '../rest/fields.js';
import { Operation } from '../rest/operation.js';
import { Caller, type Principal } from '../rest/principal.js';
import { validQuery } from '../rest/validation.js';
import { ApiController } from './api-controller.js';
import { WebhookCallerDto } from './dto/caller.dto.js';

@ApiTags('Caller')
@ApiController('v1/me')
export class MeController {
  @Get()
  @Operation({
    id: 'findCaller',
    summary: 'Say who is calling',
    description: 'The user and the scopes of the key, of the session, or of the user of the application.',
    scope: null,
    answer: WebhookCallerDto,
  })
  me(@Caller() caller: Principal, @Query(validQuery(noQuery)) _query: object): WebhookCallerDto {
    return toAnswer(WebhookCallerDto, caller);
  }
}
