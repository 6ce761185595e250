import { NOT_PROBED, probingFrom } from '../engine/webhook/probing.js';
import type { EffectiveSettings } from '../engine/webhook/webhook-settings.js';
import type { WebhookEntity } from '../store/tables/webhook/webhook.entity.js';
import type { UpdateWebhookInput } from './dto/webhook-body.js';

/**
 * Resets the health of a webhook when an update points it elsewhere or switches it on or off. One that the service disabled
 * as `failing`, and that stays so, is probed, or not any more, as its settings say by then.
 *
 * @param settings as they will be.
 */
export function healthAfter(
  { url, enabled }: UpdateWebhookInput,
  before: WebhookEntity,
  settings: EffectiveSettings,
  now: number,
): Partial<WebhookEntity> {
  const pointsElsewhere = url !== undefined && url !== before.url;
  const isSwitched = enabled !== undefined;
  const health = pointsElsewhere || isSwitched ? anew(before) : {};
  if (isSwitched)
    return { ...health, disabledReason: null, untoldSince: null, recoverFrom: null, ...NOT_PROBED };
  if (before.disabledReason !== 'failing') return pointsElsewhere ? { ...health, recoverFrom: null } : {};
  const isProbed = before.probeAt !== null && settings.autoRecover && !pointsElsewhere;
  return isProbed ? health : { ...health, ...probingFrom(now, settings) };
}

const anew = ({ generation }: WebhookEntity) => ({
  generation: generation + 1,
  failingSince: null,
  failingQuarters: 0,
  pausedUntil: null,
});
