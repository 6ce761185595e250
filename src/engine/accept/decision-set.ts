/** Why a webhook of the user did not get a notification; where several hold, the first counts. */
export const SKIP_REASONS = ['webhook_disabled', 'not_subscribed', 'event_disabled', 'filtered'] as const;
/** Why a webhook of the user did not get a notification. */
export type SkipReason = (typeof SKIP_REASONS)[number];

/** The content of a decision set: the ids of the webhooks that did not get a notification, by reason. */
export interface SkippedWebhooks extends Partial<Record<SkipReason, string[]>> {
  /** The parts of their filters that did not match, as JSON Pointers (RFC 6901), by webhook. */
  parts?: Record<string, string>;
}
