import { Get, Query, UseInterceptors } from '@nestjs/common';
import { ApiController } from '../auth/api-controller.js';
import { toAnswer } from '../rest/answer.js';
import { camelKeys } from '../rest/camel.js';
import { ApiTags } from '../rest/docs.js';
import { LargeAnswerInterceptor } from '../rest/large-answer/large-answer.interceptor.js';
import { Operation } from '../rest/operation.js';
import { Caller, ownerOf, type Principal } from '../rest/principal.js';
import { validQuery } from '../rest/validation.js';
import { ComputingShare } from './computing-share.js';
import { WebhookStatisticsDto } from './dto/statistics.dto.js';
import { type StatisticsRestQuery, statisticsQuery } from './dto/statistics-query.js';
import { StatisticsService } from './statistics.service.js';

@ApiTags('Webhook')
@ApiController('v1/webhook/stats')
@UseInterceptors(LargeAnswerInterceptor)
export class StatisticsController {
  constructor(
    private readonly statistics: StatisticsService,
    private readonly share: ComputingShare,
  ) {}

  @Get()
  @Operation({
    id: 'findStatistics',
    summary: 'Count attempts in steps of time',
    description:
      'Attempts by the time of their end, from the step that `since` lies in to the step that `until` lies in: the last ' +
      '24 hours unless given, in at most 1,500 steps, which begin in UTC. Without `id` all webhooks of the user, those ' +
      'that are gone included. Minutes are kept for 2 days, hours for 35 and days for 400. The counts are exact; the ' +
      'percentiles of the durations are within 5 %.',
    scope: 'webhooks:read',
    answer: WebhookStatisticsDto,
    problems: [404],
  })
  async find(
    @Caller() caller: Principal,
    @Query(validQuery(statisticsQuery)) query: StatisticsRestQuery,
  ): Promise<WebhookStatisticsDto> {
    const owner = ownerOf(caller);
    // Who asks for everybody's is the operator.
    if (owner !== null) this.share.check(owner);
    return toAnswer(WebhookStatisticsDto, await this.statistics.find(owner, camelKeys(query)));
  }
}
