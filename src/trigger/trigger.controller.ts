import { Body, Get, Post, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import { ApiController } from '../auth/api-controller.js';
import { Stored, StoredJson } from '../platform/json/stored-json.js';
import { toAnswer } from '../rest/answer.js';
import { camelKeys } from '../rest/camel.js';
import { ApiTags } from '../rest/docs.js';
import type { IdQuery } from '../rest/fields.js';
import { LargeAnswerInterceptor } from '../rest/large-answer/large-answer.interceptor.js';
import { LinkInterceptor } from '../rest/link.interceptor.js';
import { Operation } from '../rest/operation.js';
import { Caller, ownerOf, type Principal } from '../rest/principal.js';
import { ById, validBody, validQuery } from '../rest/validation.js';
import { wantingOf } from '../streams/follower.js';
import { STREAM_DESCRIPTION, StreamDocs } from '../streams/stream-docs.js';
import { type StreamCall, Streams } from '../streams/streams.js';
import { WebhookAttemptListDto } from './dto/attempt.dto.js';
import {
  WebhookTriggerDetailDto,
  WebhookTriggerDto,
  WebhookTriggerListDto,
  withMark,
} from './dto/trigger.dto.js';
import {
  type AttemptListQuery,
  attemptListQuery,
  type RetryTriggerBody,
  retryTriggerBody,
  type TriggerListQuery,
  type TriggerStreamQuery,
  triggerListQuery,
  triggerStreamQuery,
} from './dto/trigger-query.js';
import { RetryDocs, WebhookRetriedTriggersDto } from './retry/retry.dto.js';
import { TriggerSource } from './stream/trigger-source.js';
import { TriggerService } from './trigger.service.js';

@ApiTags('Trigger')
@ApiController('v1/webhook/trigger')
export class TriggerController {
  constructor(
    private readonly triggers: TriggerService,
    private readonly streams: Streams,
    private readonly source: TriggerSource,
  ) {}

  @Get('list')
  @UseInterceptors(LargeAnswerInterceptor, LinkInterceptor)
  @Operation({
    id: 'listTriggers',
    summary: 'List triggers, newest first',
    description:
      'Bodies of requests and responses are left out unless `include=data`; a page then ends after 1 MiB, however few ' +
      'triggers that are.',
    scope: 'webhooks:read',
    answer: WebhookTriggerListDto,
  })
  async list(
    @Caller() caller: Principal,
    @Query(validQuery(triggerListQuery)) query: TriggerListQuery,
    @Stored() stored: StoredJson,
  ): Promise<WebhookTriggerListDto> {
    const page = await this.triggers.list(ownerOf(caller), camelKeys(query));
    return toAnswer(WebhookTriggerListDto, {
      ...page,
      data: page.data.map((trigger) => withMark(trigger, stored)),
    });
  }

  @Get()
  @UseInterceptors(LargeAnswerInterceptor)
  @Operation({
    id: 'findTrigger',
    summary: 'Find a trigger with its newest attempts',
    scope: 'webhooks:read',
    answer: WebhookTriggerDetailDto,
    problems: [404],
  })
  async find(
    @Caller() caller: Principal,
    @ById() { id }: IdQuery,
    @Stored() stored: StoredJson,
  ): Promise<WebhookTriggerDetailDto> {
    const trigger = await this.triggers.find(ownerOf(caller), id);
    return toAnswer(WebhookTriggerDetailDto, withMark(trigger, stored));
  }

  @Post('retry')
  @UseInterceptors(LargeAnswerInterceptor)
  @RetryDocs()
  @Operation({
    id: 'retryTrigger',
    summary: 'Make a trigger, or up to 100, due now',
    description:
      'Whatever its status, unless an attempt is under way (409 `trigger_delivering`) or its data is gone (409 ' +
      '`payload_gone`). Its retry schedule starts anew. With `ids`, triggers that cannot be retried are listed under ' +
      '`skipped`, each with the code that it would get alone; an id given twice counts once.',
    scope: 'webhooks:write',
    status: 202,
    answer: null,
    problems: [404, 409, 413],
  })
  async retry(
    @Caller() caller: Principal,
    @Body(validBody(retryTriggerBody)) body: RetryTriggerBody,
    @Stored() stored: StoredJson,
  ): Promise<WebhookTriggerDetailDto | WebhookRetriedTriggersDto> {
    const owner = ownerOf(caller);
    if (body.id === undefined)
      return toAnswer(WebhookRetriedTriggersDto, await this.triggers.retryMany(owner, body.ids ?? []));
    const trigger = await this.triggers.retry(owner, body.id);
    return toAnswer(WebhookTriggerDetailDto, withMark(trigger, stored));
  }

  @Get('stream')
  @Operation({
    id: 'streamTriggers',
    summary: 'Follow triggers as they are made and change',
    description: `Each event is a trigger without bodies, as it is by then: of several quick changes the last may come alone. ${STREAM_DESCRIPTION}`,
    scope: 'webhooks:read',
    answer: null,
  })
  @StreamDocs({ event: 'trigger', of: WebhookTriggerDto })
  stream(
    @Caller() caller: Principal,
    @Req() request: StreamCall['request'],
    @Res() response: StreamCall['response'],
    @Query(validQuery(triggerStreamQuery)) query: TriggerStreamQuery,
  ): Promise<void> {
    const wants = wantingOf(ownerOf(caller), camelKeys(query));
    return this.streams.answer({ request, response, caller }, { source: this.source, wants });
  }

  @Get('attempt/list')
  @UseInterceptors(LargeAnswerInterceptor, LinkInterceptor)
  @Operation({
    id: 'listAttempts',
    summary: 'List the attempts of a trigger, newest first',
    description: 'A page ends after 1 MiB of responses, however few attempts that are.',
    scope: 'webhooks:read',
    answer: WebhookAttemptListDto,
    problems: [404],
  })
  async attempts(
    @Caller() caller: Principal,
    @Query(validQuery(attemptListQuery)) query: AttemptListQuery,
  ): Promise<WebhookAttemptListDto> {
    return toAnswer(WebhookAttemptListDto, await this.triggers.attempts(ownerOf(caller), camelKeys(query)));
  }
}
