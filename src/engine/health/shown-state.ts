import type { WebhookEntity } from '../../store/tables/webhook/webhook.entity.js';

/** The first one that applies is shown. */
export const HEALTH_STATES = ['off', 'paused', 'failing', 'delivering', 'idle'] as const;
/** How a webhook is: see `WebhookHealth`. */
export type HealthState = (typeof HEALTH_STATES)[number];

/** Until when the receiver of a webhook is left alone. Epoch milliseconds; null if it is not, at `now`. */
export const pauseEndOf = (
  { pausedUntil }: Pick<WebhookEntity, 'pausedUntil'>,
  now: number,
): number | null => (pausedUntil !== null && pausedUntil > now ? pausedUntil : null);

/** The state of a webhook, and since when it is in it. @param now epoch milliseconds, as `since` is. */
export function stateOf(row: WebhookEntity, now: number): { state: HealthState; since: number } {
  const since = row.stateSince || row.updatedAt;
  if (!row.enabled) return { state: 'off', since };
  if (pauseEndOf(row, now) !== null) return { state: 'paused', since: row.pausedSince ?? since };
  if (row.failingSince !== null) return { state: 'failing', since: row.stateSince || row.failingSince };
  return { state: row.delivered ? 'delivering' : 'idle', since };
}
