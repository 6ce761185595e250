import { newId } from '../../platform/ids/ids.js';
import type { WebhookEntity } from '../../store/tables/webhook/webhook.entity.js';
import type { EffectiveSettings } from '../webhook/webhook-settings.js';
import { probePauseMs } from './probing.js';

/** What one cell has seen of a receiver. Another cell sees for itself. */
export type Seen = Pick<
  WebhookEntity,
  | 'disabledEventPendingSince'
  | 'failingSince'
  | 'failingQuarters'
  | 'pausedUntil'
  | 'delivered'
  | 'stateSince'
  | 'pausedSince'
  | 'lastFailedId'
  | 'recoverFrom'
  | 'probeAt'
  | 'probeId'
  | 'probes'
>;

/** The health of a webhook: columns of its row that only this room writes. */
export type Health = Seen & Pick<WebhookEntity, 'generation' | 'disabledReason'>;

const NOT_PROBED = { probeAt: null, probeId: null, probes: 0 };

const unseen = (since: number): Seen => ({
  disabledEventPendingSince: null,
  failingSince: null,
  failingQuarters: 0,
  pausedUntil: null,
  delivered: false,
  stateSince: since,
  pausedSince: null,
  lastFailedId: null,
  recoverFrom: null,
  ...NOT_PROBED,
});

/** Nothing was sent to it yet. */
export const newHealth = (now: number): Health => ({
  ...unseen(now),
  generation: 0,
  disabledReason: null,
});

/** A change of it, which may switch the webhook on or off. */
export type HealthChange = Partial<Health> & { enabled?: boolean };

/** Attempts that were made so far say nothing of it any more. One that stays off has been off since it was switched off. */
const anew = (enabled: boolean, before: WebhookEntity, now: number): Health => ({
  ...unseen(enabled || before.enabled ? now : before.stateSince),
  generation: before.generation + 1,
  disabledReason: null,
});

/** Its owner has switched it on or off. */
const switched = (enabled: boolean, before: WebhookEntity, now: number): HealthChange => ({
  ...anew(enabled, before, now),
  enabled,
});

/** Its receiver has answered a probe well. */
export const broughtBack = (before: WebhookEntity, now: number): HealthChange => ({
  ...switched(true, before, now),
  delivered: true,
});

/** What an update by its owner means. @param settings as they will be. */
export function updatedHealth(
  { url, enabled }: { url?: string; enabled?: boolean },
  before: WebhookEntity,
  settings: EffectiveSettings,
  now: number,
): HealthChange {
  if (enabled !== undefined) return switched(enabled, before, now);
  const isFailing = before.disabledReason === 'failing';
  if (url === undefined || url === before.url) {
    const isProbedAsSet = before.probeAt !== null && settings.autoRecover;
    return isFailing && !isProbedAsSet ? probed(settings, now) : {};
  }
  // One that the service has disabled stays so. If it was failing, it is probed there with what it has missed.
  const { disabledReason, disabledEventPendingSince, recoverFrom } = before;
  return {
    ...anew(before.enabled, before, now),
    disabledReason,
    disabledEventPendingSince,
    ...(isFailing && { recoverFrom, ...probed(settings, now) }),
  };
}

/** Its receiver has answered 410. */
export const DISABLED_AS_GONE: Partial<Health> = { disabledReason: 'gone', recoverFrom: null, ...NOT_PROBED };

/** Its receiver has failed for too long. @param recoverFrom the id of the oldest notification that it has missed. */
export const disabledAsFailing = (
  recoverFrom: string,
  settings: EffectiveSettings,
  now: number,
): Partial<Health> => ({
  disabledReason: 'failing',
  recoverFrom,
  ...probed(settings, now),
});

/** It comes from another cell. If it was disabled as `failing`, it is probed with what it misses here. */
export const arrivedHealth = (
  disabledReason: Health['disabledReason'],
  settings: EffectiveSettings,
  now: number,
): Seen =>
  disabledReason === 'failing'
    ? { ...unseen(now), recoverFrom: newId(), ...probed(settings, now) }
    : unseen(now);

const probed = (settings: EffectiveSettings, now: number) =>
  settings.autoRecover ? { ...NOT_PROBED, probeAt: now + probePauseMs(0, settings) } : NOT_PROBED;
