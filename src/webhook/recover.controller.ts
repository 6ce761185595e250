import { Body, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiController } from '../auth/api-controller.js';
import { camelKeys } from '../rest/camel.js';
import { Operation } from '../rest/operation.js';
import { Caller, ownerOf, type Principal } from '../rest/principal.js';
import { validBody } from '../rest/validation.js';
import { type RecoverBody, RecoverDocs, recoverBody, WebhookRecoveredDto } from './dto/recovery.dto.js';
import { WebhookRecovery } from './webhook-recovery.service.js';

@ApiTags('Webhook')
@ApiController('v1/webhook/recover')
export class RecoverController {
  constructor(private readonly recovery: WebhookRecovery) {}

  @Post()
  @RecoverDocs()
  @Operation({
    id: 'recoverWebhook',
    summary: 'Send again what a webhook missed',
    description:
      'FAILED and CANCELLED triggers that were made from `since` to `until` (now unless given), both included, are due ' +
      'again, each on a fresh retry schedule: oldest first, 10 a second, behind those of an earlier call. Left out are ' +
      'triggers whose event is disabled or deleted, and tests. At most 50,000 in one call (422); `dry_run` only counts.',
    scope: 'webhooks:write',
    status: 202,
    answer: WebhookRecoveredDto,
    problems: [404, 409, 422],
  })
  async recover(
    @Caller() caller: Principal,
    @Body({ schema: recoverBody, pipes: [validBody] }) body: RecoverBody,
  ): Promise<WebhookRecoveredDto> {
    return this.recovery.recover(ownerOf(caller), camelKeys(body));
  }
}
