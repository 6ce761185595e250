import type { WebhookTriggerDto } from 'webhook-notification-service-client';
import { Countdown } from '../parts/text/time.js';

/** When a delivery is tried next. */
export function NextAttempt({
  status,
  next_attempt_at,
}: Pick<WebhookTriggerDto, 'status' | 'next_attempt_at'>) {
  if (status === 'DELIVERING') return <>now</>;
  if (status !== 'PENDING') return <span class="muted">–</span>;
  if (next_attempt_at) return <Countdown to={next_attempt_at} over="due now" />;
  return (
    <span class="nowrap" title="An earlier notification of its record is delivered first.">
      waits for its turn
    </span>
  );
}
