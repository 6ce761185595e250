import type { UpdateWebhookInput } from './dto/webhook-body.js';
import type { WebhookEntity } from './webhook.entity.js';

/** Resets the health of a webhook when an update points it elsewhere or switches it on or off. */
export function healthAfter(
  { url, enabled }: UpdateWebhookInput,
  before: WebhookEntity,
): Partial<WebhookEntity> {
  const pointsElsewhere = url !== undefined && url !== before.url;
  if (!pointsElsewhere && enabled === undefined) return {};
  const health = {
    generation: before.generation + 1,
    failingSince: null,
    failingQuarters: 0,
    pausedUntil: null,
  };
  return enabled === undefined ? health : { ...health, disabledReason: null, untoldSince: null };
}
