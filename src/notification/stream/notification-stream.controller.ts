import { Get, Query, Req, Res } from '@nestjs/common';
import { ApiController } from '../../auth/api-controller.js';
import { camelKeys } from '../../rest/camel.js';
import { ApiTags } from '../../rest/docs.js';
import { Operation } from '../../rest/operation.js';
import { Caller, ownerOf, type Principal } from '../../rest/principal.js';
import { validQuery } from '../../rest/validation.js';
import { wantingOf } from '../../streams/follower.js';
import { STREAM_DESCRIPTION, StreamDocs } from '../../streams/stream-docs.js';
import { type StreamCall, Streams } from '../../streams/streams.js';
import {
  type NotificationStreamQuery,
  notificationStreamQuery,
  WebhookStreamedNotificationDto,
} from '../dto/streamed-notification.dto.js';
import { NotificationSource } from './notification-source.js';

@ApiTags('Notification')
@ApiController('v1/notification')
export class NotificationStreamController {
  constructor(
    private readonly streams: Streams,
    private readonly source: NotificationSource,
  ) {}

  @Get('stream')
  @Operation({
    id: 'streamNotifications',
    summary: 'Follow notifications as they are accepted',
    description: `Each event is a notification with the bytes that webhooks get, whether or not any does. ${STREAM_DESCRIPTION}`,
    scope: 'webhooks:read',
    answer: null,
  })
  @StreamDocs({ event: 'notification', of: WebhookStreamedNotificationDto })
  stream(
    @Caller() caller: Principal,
    @Req() request: StreamCall['request'],
    @Res() response: StreamCall['response'],
    @Query(validQuery(notificationStreamQuery)) query: NotificationStreamQuery,
  ): Promise<void> {
    const wants = wantingOf(ownerOf(caller), camelKeys(query));
    return this.streams.answer({ request, response, caller }, { source: this.source, wants });
  }
}
