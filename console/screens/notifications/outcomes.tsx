import type { WebhookDecisionDto, WebhookNotificationDto } from 'webhook-notification-service-client';
import { Badge, type Tone } from '../../parts/badge.js';
import type { IconName } from '../../parts/icon.js';
import { count } from '../../parts/text/format.js';

type Counts = WebhookNotificationDto['triggers'];

const COUNTS: readonly (readonly [keyof Counts, Tone, string, IconName?])[] = [
  ['failed', 'bad', 'failed'],
  ['pending', 'wait', 'waiting'],
  ['delivering', 'wait', 'under way', 'right'],
  ['succeeded', 'good', 'delivered'],
  ['cancelled', 'muted', 'cancelled'],
];

/** What became of a notification, over all webhooks. */
export function Outcomes({ triggers }: { triggers: Counts }) {
  const shown = COUNTS.filter(([key]) => triggers[key] > 0);
  if (shown.length === 0) return <span class="muted">Nobody was told</span>;
  return (
    <span class="tags">
      {shown.map(([key, tone, word, icon]) => (
        <Badge key={key} tone={tone} {...(icon && { icon })}>
          {count(triggers[key])} {word}
        </Badge>
      ))}
    </span>
  );
}

/** Why a webhook was told, or not, in plain words. */
export const DECISIONS: Record<WebhookDecisionDto['outcome'], readonly [Tone, string, string]> = {
  triggered: ['good', 'Told', ''],
  webhook_disabled: ['muted', 'Not told', 'The webhook was off.'],
  not_subscribed: ['muted', 'Not told', 'It is not subscribed to this kind of event.'],
  event_disabled: ['muted', 'Not told', 'This kind of event was off for it.'],
  filtered: ['muted', 'Not told', 'Its filter did not match.'],
};
