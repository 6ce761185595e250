import { ApiSchema } from '../../rest/docs.js';
import { Field } from '../../rest/fields.js';
import type { AttemptCounts, Statistics } from '../statistics.js';

const duration = { type: Number, nullable: true } as const;

@ApiSchema({ description: 'How many attempts were made, and how they ended' })
export class WebhookAttemptCountsDto {
  @Field({ example: 20, description: '`succeeded` and `failed` together' })
  attempts: number;
  @Field({ example: 17, description: 'Answered with a 2xx' })
  succeeded: number;
  @Field({ example: 3 })
  failed: number;
  @Field({ example: 1, description: 'Triggers that ended FAILED' })
  exhausted: number;
  @Field({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description:
      "Attempts by HTTP status, or by the error's code where there was no answer. Beyond 100 codes, statuses that are " +
      'not registered are counted together, as `2xx` or `other`',
    example: { 200: 17, 503: 2, timeout: 1 },
  })
  by_code: Record<string, number>;
  @Field({ ...duration, example: 41, description: 'Median duration within 5 %; null without attempts' })
  p50_ms: number | null;
  @Field({ ...duration, example: 380 })
  p95_ms: number | null;
  @Field({ ...duration, example: 15000 })
  p99_ms: number | null;
}

@ApiSchema({ description: 'The attempts that ended in one step' })
export class WebhookStatisticsStepDto extends WebhookAttemptCountsDto {
  @Field({ format: 'date-time', example: '2026-11-21T10:00:00.000Z' })
  begin: string;
}

@ApiSchema({ description: 'The attempts that ended in a span of time' })
export class WebhookStatisticsDto {
  @Field({
    type: [WebhookStatisticsStepDto],
    description: 'Each step, the first one first, also where nothing ended',
  })
  data: WebhookStatisticsStepDto[];
  @Field({ type: WebhookAttemptCountsDto, description: 'All steps together' })
  total: WebhookAttemptCountsDto;
}

// There may be 1,500 steps, and class-transformer would take about as long as counting them.
export const toStatisticsDto = ({ data, total }: Statistics): WebhookStatisticsDto => ({
  data: data.map((step) => ({ begin: step.begin, ...toCountsDto(step) })),
  total: toCountsDto(total),
});

const toCountsDto = (counts: AttemptCounts): WebhookAttemptCountsDto => ({
  attempts: counts.attempts,
  succeeded: counts.succeeded,
  failed: counts.failed,
  exhausted: counts.exhausted,
  by_code: counts.byCode,
  p50_ms: counts.p50Ms,
  p95_ms: counts.p95Ms,
  p99_ms: counts.p99Ms,
});
