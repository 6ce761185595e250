import { Body, Headers, Post, Req, Res } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ApiController } from '../auth/api-controller.js';
import { Hops } from '../engine/send/hops.js';
import { IdempotencyKeys, REPLAYED_HEADER } from '../idempotency/idempotency-keys.js';
import { toRow } from '../rest/answer.js';
import { type SourceRequest, sourceOf } from '../rest/body-source.js';
import { ApiTags } from '../rest/docs.js';
import { IdempotentDocs, Operation } from '../rest/operation.js';
import { Caller, type Principal } from '../rest/principal.js';
import { parseBody } from '../rest/validation.js';
import { notificationEnvelope, WebhookAcceptedNotificationDto } from './dto/notification.dto.js';
import { NotificationDocs } from './dto/notification-docs.js';
import { NotifierService } from './notifier.service.js';
import type { NotificationInput } from './payload.js';
import { plainEnvelope } from './plain-notification.js';
import { recordSourceOf, traceparentOf } from './report-source.js';

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
    problems: [409, 413, 422],
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
    const source = sourceOf(request);
    const input: NotificationInput = {
      eventKind: event_kind,
      userId: user_id,
      recordText: recordSourceOf(source),
      analysisId: analysis_id ?? null,
      traceparent: traceparentOf(traceparent),
      hops,
    };
    const accepted = await this.keys.run({ key, userId, operation: 'notify', body: source }, (call) =>
      this.notifier.accept(input, { call }),
    );
    if (accepted.replayed) this.http.httpAdapter.setHeader(response, REPLAYED_HEADER, 'true');
    return toRow(WebhookAcceptedNotificationDto, accepted);
  }
}
