import { answerOf, Field } from '../../rest/answer.js';
import { ApiSchema } from '../../rest/docs.js';
import type { AttemptCounts, Statistics } from '../statistics.js';

const duration = { type: Number, nullable: true } as const;

@ApiSchema({ description: 'How many attempts were made, and how they ended' })
class WebhookAttemptCountsDto extends answerOf<AttemptCounts>({
  attempts: { example: 20, description: '`succeeded` and `failed` together' },
  succeeded: { example: 17, description: 'Answered with a 2xx' },
  failed: { example: 3 },
  exhausted: { example: 1, description: 'Triggers that ended FAILED' },
  by_code: {
    type: 'object',
    additionalProperties: { type: 'integer' },
    description:
      "Attempts by HTTP status, or by the error's code where there was no answer. Beyond 100 codes, statuses that are " +
      'not registered are counted together, as `2xx` or `other`',
    example: { 200: 17, 503: 2, timeout: 1 },
  },
  p50_ms: { ...duration, example: 41, description: 'Median duration within 5 %; null without attempts' },
  p95_ms: { ...duration, example: 380 },
  p99_ms: { ...duration, example: 15000 },
}) {}

@ApiSchema({ description: 'The attempts that ended in one step' })
class WebhookStatisticsStepDto extends WebhookAttemptCountsDto {
  @Field({ format: 'date-time', example: '2026-11-21T10:00:00.000Z' })
  begin: string;
}

@ApiSchema({ description: 'The attempts that ended in a span of time' })
export class WebhookStatisticsDto extends answerOf<Statistics>({
  data: {
    type: [WebhookStatisticsStepDto],
    description: 'Each step, the first one first, also where nothing ended',
  },
  total: { type: WebhookAttemptCountsDto, description: 'All steps together' },
}) {}
