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
import { WebhookTriggerDto } from '../dto/trigger.dto.js';
import { type TriggerStreamQuery, triggerStreamQuery } from '../dto/trigger-query.js';
import { TriggerSource } from './trigger-source.js';

@ApiTags('Trigger')
@ApiController('v1/webhook/trigger')
export class TriggerStreamController {
  constructor(
    private readonly streams: Streams,
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
    const wants = wantingOf(ownerOf(caller), camelKeys(query));
    return this.streams.answer({ request, response, caller }, { source: this.source, wants });
  }
}
