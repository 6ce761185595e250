import type { WebhookDto } from 'webhook-notification-service-client';
import { Badge } from '../parts/badge.js';
import { Countdown } from '../parts/text/time.js';

type StateOf = Pick<WebhookDto, 'enabled' | 'disabled_reason' | 'paused_until'>;

const REASONS = { gone: 'Off: gone', failing: 'Off: failing' } as const;

/** Whether a webhook is sent to, and if not, why. */
export function WebhookState({ webhook }: { webhook: StateOf }) {
  const { enabled, disabled_reason, paused_until } = webhook;
  if (disabled_reason) return <Badge tone="bad">{REASONS[disabled_reason]}</Badge>;
  if (!enabled) {
    return (
      <Badge tone="muted" icon="pause">
        Off
      </Badge>
    );
  }
  if (paused_until) {
    return (
      <Badge tone="warn" icon="pause">
        Waits <Countdown to={paused_until} over="for an attempt" />
      </Badge>
    );
  }
  return <Badge tone="good">On</Badge>;
}

/** The same in a word, to sort and filter by. */
export const stateOf = ({ enabled, disabled_reason, paused_until }: StateOf): string =>
  disabled_reason ?? (enabled ? (paused_until ? 'waiting' : 'on') : 'off');
