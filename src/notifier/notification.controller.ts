import { Body, Headers, Post, Req, Res } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ApiTags } from '@nestjs/swagger';
import { ApiController } from '../auth/api-controller.js';
import { type JsonMember, members } from '../common/json/json-text.js';
import { invalid } from '../common/problem.js';
import { IdempotencyKeys, REPLAYED_HEADER } from '../idempotency/idempotency-keys.js';
import { type SourceRequest, sourceOf } from '../rest/body-source.js';
import { Hops } from '../rest/hops.js';
import { IdempotentDocs, Operation } from '../rest/operation.js';
import { Caller, type Principal } from '../rest/principal.js';
import { jsonPointer, parseBody } from '../rest/validation.js';
import {
  notificationEnvelope,
  toAcceptedDto,
  WebhookAcceptedNotificationDto,
} from './dto/notification.dto.js';
import { NotificationDocs } from './dto/notification-docs.js';
import type { NotificationInput } from './notification.js';
import { NotifierService } from './notifier.service.js';
import { plainEnvelope } from './plain-notification.js';

/** W3C Trace Context, 3.2. */
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Takes lifecycle events over REST. */
@ApiTags('Notification')
@ApiController('v1/notification')
export class NotificationController {
  constructor(
    private readonly notifier: NotifierService,
    private readonly keys: IdempotencyKeys,
    private readonly http: HttpAdapterHost,
  ) {}

  @Post()
  @NotificationDocs()
  @IdempotentDocs()
  @Operation({
    id: 'notify',
    summary: 'Report a lifecycle event',
    description:
      'Answered only after the notification and all its triggers are stored. No subscriber is no error.',
    scope: 'notifications:write',
    status: 202,
    answer: WebhookAcceptedNotificationDto,
    problems: [409, 422],
  })
  async notify(
    @Caller() { userId }: Principal,
    @Req() request: SourceRequest,
    @Res({ passthrough: true }) response: unknown,
    @Body() body: unknown,
    @Headers('idempotency-key') key: string | undefined,
    @Headers('traceparent') traceparent: string | undefined,
    @Hops() hops: number,
  ): Promise<WebhookAcceptedNotificationDto> {
    const { event_kind, user_id, analysis_id } = plainEnvelope(body) ?? parseBody(notificationEnvelope, body);
    const source = sourceOf(request, body);
    const input: NotificationInput = {
      eventKind: event_kind,
      userId: user_id,
      recordText: recordTextOf(source),
      analysisId: analysis_id ?? null,
      traceparent: traceparent && TRACEPARENT.test(traceparent) ? traceparent : null,
      hops,
    };
    const accepted = await this.keys.run({ key, userId, operation: 'notify', body: source }, (call) =>
      this.notifier.accept(input, { call }),
    );
    if (accepted.replayed) this.http.httpAdapter.setHeader(response, REPLAYED_HEADER, 'true');
    return toAcceptedDto(accepted);
  }
}

/** The record's own source. Parsing and writing it again would change long numbers and the order of keys. */
function recordTextOf(text: string): string {
  const all = members(text);
  const repeated = repeatedKeys(all);
  if (repeated.length > 0)
    throw invalid(
      repeated.map((key) => ({ pointer: jsonPointer([key]), message: 'is given more than once' })),
    );
  const record = all.find(({ key }) => key === 'record');
  return record ? text.slice(record.start, record.end) : 'null';
}

/** The names that occur more than once, each named once. */
function repeatedKeys(all: JsonMember[]): string[] {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { key } of all) (seen.has(key) ? repeated : seen).add(key);
  return [...repeated];
}
