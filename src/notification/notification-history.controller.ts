import { Delete, Get, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import { ApiController } from '../auth/api-controller.js';
import { Stored, StoredJson } from '../platform/json/stored-json.js';
import { forbidden } from '../platform/problem.js';
import { toAnswer } from '../rest/answer.js';
import { camelKeys } from '../rest/camel.js';
import { ApiTags } from '../rest/docs.js';
import type { IdQuery } from '../rest/fields.js';
import { LargeAnswerInterceptor } from '../rest/large-answer/large-answer.interceptor.js';
import { LinkInterceptor } from '../rest/link.interceptor.js';
import { Operation } from '../rest/operation.js';
import { Caller, isAdmin, ownerOf, type Principal } from '../rest/principal.js';
import { ById, validQuery } from '../rest/validation.js';
import { wantingOf } from '../streams/follower.js';
import { STREAM_DESCRIPTION, StreamDocs } from '../streams/stream-docs.js';
import { type StreamCall, Streams } from '../streams/streams.js';
import { type ErasureQuery, erasureQuery, WebhookErasedDto } from './dto/erasure.dto.js';
import {
  WebhookNotificationDetailDto,
  WebhookNotificationListDto,
  withMark,
} from './dto/notification.dto.js';
import { type NotificationListQuery, notificationListQuery } from './dto/notification-query.js';
import {
  type NotificationStreamQuery,
  notificationStreamQuery,
  WebhookStreamedNotificationDto,
} from './dto/streamed-notification.dto.js';
import { NotificationService } from './notification.service.js';
import { NotificationErasure } from './notification-erasure.service.js';
import { NotificationSource } from './stream/notification-source.js';

/** Shows what became of the lifecycle events that were reported, and erases what is stored of them. */
@ApiTags('Notification')
@ApiController('v1/notification')
export class NotificationHistoryController {
  constructor(
    private readonly notifications: NotificationService,
    private readonly erasure: NotificationErasure,
    private readonly streams: Streams,
    private readonly source: NotificationSource,
  ) {}

  @Get('list')
  @UseInterceptors(LinkInterceptor)
  @Operation({
    id: 'listNotifications',
    summary: 'List notifications, newest first',
    description:
      'Each with the number of its triggers in each state. Notifications that no webhook got are listed too.',
    scope: 'webhooks:read',
    answer: WebhookNotificationListDto,
  })
  async list(
    @Caller() caller: Principal,
    @Query(validQuery(notificationListQuery)) query: NotificationListQuery,
  ): Promise<WebhookNotificationListDto> {
    const page = await this.notifications.list(ownerOf(caller), camelKeys(query));
    return toAnswer(WebhookNotificationListDto, page);
  }

  @Get()
  @UseInterceptors(LargeAnswerInterceptor)
  @Operation({
    id: 'findNotification',
    summary: 'Find a notification, with its record and why each webhook got it or not',
    description:
      'Of several reasons why a webhook did not get it, `decisions` names the first of `webhook_disabled`, ' +
      '`not_subscribed`, `event_disabled` and `filtered`.',
    scope: 'webhooks:read',
    answer: WebhookNotificationDetailDto,
    problems: [404],
  })
  async find(
    @Caller() caller: Principal,
    @ById() { id }: IdQuery,
    @Stored() stored: StoredJson,
  ): Promise<WebhookNotificationDetailDto> {
    const notification = await this.notifications.find(ownerOf(caller), id);
    return toAnswer(WebhookNotificationDetailDto, withMark(notification, stored));
  }

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

  @Delete()
  @Operation({
    id: 'eraseRecord',
    summary: 'Erase what is stored of a record',
    description:
      'The bodies of all notifications of the record that are stored when the call begins, and what was sent and answered. ' +
      'What is not delivered yet is cancelled; an attempt under way goes on, but nothing of its answer is stored. The rows ' +
      'stay, without the data. `record_id` is compared exactly. Repeating the call answers zeros; repeat it after a 503. Only a key with ' +
      'the scope `admin` may name another user.',
    scope: 'webhooks:write',
    answer: WebhookErasedDto,
    problems: [413],
  })
  async erase(
    @Caller() caller: Principal,
    @Query(validQuery(erasureQuery)) query: ErasureQuery,
  ): Promise<WebhookErasedDto> {
    const { userId } = caller;
    const { user_id = userId, record_id: recordId } = query;
    if (user_id !== userId && !isAdmin(caller)) {
      throw forbidden(
        'Only an admin key may name another user; leave user_id out to erase data of your own.',
      );
    }
    return this.erasure.erase(user_id, { recordId });
  }
}
