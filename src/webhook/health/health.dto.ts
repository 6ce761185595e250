import { HEALTH_STATES } from '../../engine/health/shown-state.js';
import { answerOf, time, timeOrNull } from '../../rest/answer.js';
import { ApiSchema } from '../../rest/docs.js';
import { WebhookDiagnosisDto } from '../../trigger/dto/attempt.dto.js';
import type { WebhookHealth } from './webhook-health.js';

@ApiSchema({ description: 'How a webhook is, and what waits for it. The ETag does not change with it' })
export class WebhookHealthDto extends answerOf<WebhookHealth>({
  state: {
    enum: HEALTH_STATES,
    example: 'delivering',
    description:
      'Of several the first: `off`, `paused` (left alone until `next_attempt_at`), `failing` (its last attempt failed), ' +
      '`delivering` (its last attempt succeeded), `idle` (nothing was attempted yet)',
  },
  since: { ...time, description: 'When the state began' },
  diagnosis: {
    type: WebhookDiagnosisDto,
    nullable: true,
    example: null,
    description: 'Of its last failed attempt; null while it is delivering',
  },
  waiting: {
    example: 0,
    description: 'Triggers that are not delivered yet, those between two attempts included',
  },
  oldest_due_at: { ...timeOrNull, example: null, description: 'When the oldest of these was accepted' },
  next_attempt_at: {
    ...timeOrNull,
    example: null,
    description: 'When the next attempt is due, which may be now or past',
  },
}) {}
