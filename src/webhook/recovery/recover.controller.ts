import { Body, Delete, Get, Post, Query, UseInterceptors } from '@nestjs/common';
import { ApiController } from '../../auth/api-controller.js';
import { toAnswer } from '../../rest/answer.js';
import { camelKeys } from '../../rest/camel.js';
import { ApiTags } from '../../rest/docs.js';
import type { IdQuery } from '../../rest/fields.js';
import { LinkInterceptor } from '../../rest/link.interceptor.js';
import { Operation } from '../../rest/operation.js';
import { Caller, ownerOf, type Principal } from '../../rest/principal.js';
import { ById, validBody, validQuery } from '../../rest/validation.js';
import {
  type RecoverBody,
  RecoverDocs,
  type RecoveryListQuery,
  recoverBody,
  recoveryListQuery,
  WebhookRecoveryDto,
  WebhookRecoveryListDto,
} from './dto/recovery.dto.js';
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
      'FAILED and CANCELLED triggers that were made from `since` to `until` (now unless given), both included, become due ' +
      'again, each on a fresh retry schedule: oldest first, `per_second` a second, in the background, also after a ' +
      'restart. Left out are tests, triggers whose event is disabled or deleted, and what is erased or past retention. ' +
      'While the receiver cannot take them, the recovery waits. With `missed` also notifications of that span, of the ' +
      'kinds that the webhook is subscribed to now, for which it has no trigger: it was disabled, not subscribed, or not ' +
      'there yet. One recovery of a webhook runs at a time (409); `dry_run` only counts.',
    scope: 'webhooks:write',
    status: 202,
    answer: WebhookRecoveryDto,
    problems: [404, 409, 413],
  })
  async recover(
    @Caller() caller: Principal,
    @Body(validBody(recoverBody)) body: RecoverBody,
  ): Promise<WebhookRecoveryDto> {
    return toAnswer(WebhookRecoveryDto, await this.recovery.recover(ownerOf(caller), camelKeys(body)));
  }

  @Get('list')
  @UseInterceptors(LinkInterceptor)
  @Operation({
    id: 'listRecoveries',
    summary: 'List recoveries, newest first',
    scope: 'webhooks:read',
    answer: WebhookRecoveryListDto,
  })
  async list(
    @Caller() caller: Principal,
    @Query(validQuery(recoveryListQuery)) query: RecoveryListQuery,
  ): Promise<WebhookRecoveryListDto> {
    return toAnswer(WebhookRecoveryListDto, await this.recovery.list(ownerOf(caller), camelKeys(query)));
  }

  @Get()
  @Operation({
    id: 'findRecovery',
    summary: 'Find a recovery: its state, and how far it has come',
    scope: 'webhooks:read',
    answer: WebhookRecoveryDto,
    problems: [404],
  })
  async find(@Caller() caller: Principal, @ById() { id }: IdQuery): Promise<WebhookRecoveryDto> {
    return toAnswer(WebhookRecoveryDto, await this.recovery.find(ownerOf(caller), id));
  }

  @Delete()
  @Operation({
    id: 'stopRecovery',
    summary: 'Stop a recovery',
    description:
      'What it has made due already is still sent: about a second of its pace, or a few if the receiver is slow. ' +
      'Stopping one that has ended changes nothing.',
    scope: 'webhooks:write',
    answer: WebhookRecoveryDto,
    problems: [404, 413],
  })
  async stop(@Caller() caller: Principal, @ById() { id }: IdQuery): Promise<WebhookRecoveryDto> {
    return toAnswer(WebhookRecoveryDto, await this.recovery.stop(ownerOf(caller), id));
  }
}
