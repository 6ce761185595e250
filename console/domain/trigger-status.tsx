import type { WebhookTriggerDto } from 'webhook-notification-service-client';
import { Badge, type Tone } from '../parts/badge.js';
import type { IconName } from '../parts/icon.js';

type Status = WebhookTriggerDto['status'];

const LOOKS: Record<Status, readonly [Tone, string, IconName?]> = {
  PENDING: ['wait', 'Waiting'],
  DELIVERING: ['wait', 'Under way', 'right'],
  SUCCEEDED: ['good', 'Succeeded'],
  FAILED: ['bad', 'Failed'],
  CANCELLED: ['muted', 'Cancelled'],
};

export function TriggerStatus({ status }: { status: Status }) {
  const [tone, text, icon] = LOOKS[status];
  return (
    <Badge tone={tone} {...(icon && { icon })}>
      {text}
    </Badge>
  );
}
