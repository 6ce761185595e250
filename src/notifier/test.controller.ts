import { Body, Post } from '@nestjs/common';
import { ApiController } from '../auth/api-controller.js';
import { Hops } from '../engine/send/hops.js';
import { EventKinds, WEBHOOK_TEST } from '../event/event-kinds.js';
import { Stored, StoredJson } from '../platform/json/stored-json.js';
import { toAnswer } from '../rest/answer.js';
import { camelKeys } from '../rest/camel.js';
import { ApiTags } from '../rest/docs.js';
import { Operation } from '../rest/operation.js';
import { Caller, ownerOf, type Principal } from '../rest/principal.js';
import { validBody } from '../rest/validation.js';
import { WebhookTriggerDetailDto, withMark } from '../trigger/dto/trigger.dto.js';
import { type TestBody, testBody } from './dto/notification.dto.js';
import { NotifierService, type WebhookTest } from './notifier.service.js';

/** Stands here and not beside the webhooks because it notifies. */
@ApiTags('Webhook')
@ApiController('v1/webhook/test')
export class TestController {
  constructor(
    private readonly notifier: NotifierService,
    private readonly kinds: EventKinds,
  ) {}

  @Post()
  @Operation({
    id: 'testWebhook',
    summary: 'Send a sample notification to a webhook',
    description: 'Through the real pipeline, whatever the webhook is subscribed to.',
    scope: 'webhooks:write',
    status: 202,
    answer: WebhookTriggerDetailDto,
    problems: [404, 409, 413],
  })
  async test(
    @Caller() caller: Principal,
    @Body(validBody(testBody)) body: TestBody,
    @Hops() hops: number,
    @Stored() stored: StoredJson,
  ): Promise<WebhookTriggerDetailDto> {
    const { event_kind } = body;
    if (event_kind !== undefined && event_kind !== WEBHOOK_TEST) this.kinds.check(event_kind, 'event_kind');
    const test = camelKeys(body) as WebhookTest;
    const trigger = await this.notifier.test(ownerOf(caller), test, hops);
    return toAnswer(WebhookTriggerDetailDto, withMark(trigger, stored));
  }
}
