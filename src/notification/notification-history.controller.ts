import { Get, Query, UseInterceptors } from '@nestjs/common';
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
import { ById, validQuery } from '../rest/validation.js';
import {
  WebhookNotificationDetailDto,
  WebhookNotificationListDto,
  withMark,
} from './dto/notification.dto.js';
import { type NotificationListQuery, notificationListQuery } from './dto/notification-query.js';
import { NotificationService } from './notification.service.js';

/** Shows what became of the lifecycle events that were reported. */
@ApiTags('Notification')
@ApiController('v1/notification')
export class NotificationHistoryController {
  constructor(private readonly notifications: NotificationService) {}

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
}
