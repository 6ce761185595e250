import { Delete, Query } from '@nestjs/common';
import { ApiController } from '../auth/api-controller.js';
import { forbidden } from '../platform/problem.js';
import { ApiTags } from '../rest/docs.js';
import { Operation } from '../rest/operation.js';
import { Caller, isAdmin, type Principal } from '../rest/principal.js';
import { validQuery } from '../rest/validation.js';
import { type ErasureQuery, erasureQuery, WebhookErasedDto } from './dto/erasure.dto.js';
import { NotificationErasure } from './notification-erasure.service.js';

@ApiTags('Notification')
@ApiController('v1/notification')
export class EraseController {
  constructor(private readonly erasure: NotificationErasure) {}

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
