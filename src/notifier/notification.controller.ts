import { Body, Controller, Headers, Post, Req, UseFilters, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AccessGuard } from '../auth/access.guard.js';
import { members } from '../common/json-text.js';
import { Operation } from '../common/operation.js';
import { ProblemFilter } from '../common/problem.filter.js';
import { invalid } from '../common/problem.js';
import { parseBody } from '../common/validation.js';
import { AcceptedNotificationDto, notificationEnvelope, toAcceptedDto } from './dto/notification.dto.js';
import { NotificationDocs } from './dto/notification-docs.js';
import { NotifierService } from './notifier.service.js';

/** W3C Trace Context, 3.2. */
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Lifecycle events from outside. */
@ApiTags('Notification')
@Controller('v1/notification')
@UseGuards(AccessGuard)
@UseFilters(ProblemFilter)
export class NotificationController {
  constructor(private readonly notifier: NotifierService) {}

  @Post()
  @NotificationDocs()
  @Operation({
    id: 'notify',
    summary: 'Report a lifecycle event',
    description:
      'Answered only after the notification and all its triggers are stored. No subscriber is no error.',
    scope: 'notifications:write',
    status: 202,
    answer: AcceptedNotificationDto,
    problems: [413, 415],
  })
  async notify(
    @Req() request: { rawBody?: Buffer },
    @Body() body: unknown,
    @Headers('traceparent') traceparent: string | undefined,
  ): Promise<AcceptedNotificationDto> {
    const { event_kind, user_id, analysis_id } = parseBody(notificationEnvelope, body);
    const accepted = await this.notifier.accept({
      eventKind: event_kind,
      userId: user_id,
      recordText: recordTextOf(request.rawBody?.toString('utf8') ?? JSON.stringify(body)),
      analysisId: analysis_id ?? null,
      traceparent: traceparent && TRACEPARENT.test(traceparent) ? traceparent : null,
    });
    return toAcceptedDto(accepted);
  }
}

/** The record as it was written: parsed and written again, long numbers would change, and keys move. */
function recordTextOf(text: string): string {
  const all = members(text);
  const keys = all.map(({ key }) => key);
  const repeated = keys.filter((key, index) => keys.indexOf(key) !== index);
  if (repeated.length > 0)
    throw invalid(repeated.map((key) => ({ pointer: `/${key}`, message: 'is given more than once' })));
  const record = all.find(({ key }) => key === 'record');
  return record ? text.slice(record.start, record.end) : 'null';
}
