import { Get, Query, Req, Res } from '@nestjs/common';
import { ApiController } from '../../auth/api-controller.js';
import { ApiTags } from '../../rest/docs.js';
import { Operation } from '../../rest/operation.js';
import { Caller, ownerOf, type Principal } from '../../rest/principal.js';
import { validQuery } from '../../rest/validation.js';
import { ChangeFeed } from '../../streams/change-feed.js';
import { wantingOf } from '../../streams/follower.js';
import { STREAM_DESCRIPTION, StreamDocs } from '../../streams/stream-docs.js';
import { type StreamCall, Streams } from '../../streams/streams.js';
import { WebhookTriggerDto } from '../dto/trigger.dto.js';
import { type TriggerStreamQuery, triggerStreamQuery } from '../dto/trigger-query.js';
import { TriggerSource } from './trigger-source.js';

@ApiTags('Trigger')
@ApiController('v1/webhook/trigger')
export class TriggerStreamController {
  constructor(
    private readonly streams: Streams,
    private readonly feed: ChangeFeed,
    private readonly source: TriggerSource,
  ) {}

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
    const wants = wantingOf(ownerOf(caller), {
      userId: query.user_id,
      webhookId: query.webhook_id,
      eventKind: query.event_kind,
      status: query.status,
    });
    return this.streams.answer({ request, response, caller }, (stream, position) =>
      this.feed.follow({ stream, source: this.source, wants }, position),
    );
  }
}
