import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { WebhookTriggerDetailDto } from 'webhook-notification-service-client';
import { api } from '../../data/api.js';
import type { Answer } from '../../data/call.js';
import { memberSource } from '../../data/member-source.js';
import { type Resource, useResource } from '../../data/resource.js';

export interface Delivery {
  readonly trigger: WebhookTriggerDetailDto;
  /** The body, byte for byte as it was sent; undefined once it is gone. */
  readonly body: string | undefined;
  /** The whole answer. */
  readonly text: string;
}

const SOON_MS = 30_000;

/** Follows one trigger, closely while something is about to happen. */
export function useDelivery(id: string): Resource<Delivery> {
  const everyMs = useSignal(2_000);
  const load = async (signal: AbortSignal, before: Delivery | undefined): Promise<Answer<Delivery>> => {
    const answer = await api.GET('/v1/webhook/trigger', { query: { id }, signal });
    if (answer.problem) return answer;
    const { data: trigger, text = '', etag } = answer;
    // A large body is not taken apart again and again while nothing happens.
    if (before?.text === text) return { data: before, etag };
    return { data: { trigger, text, body: memberSource(text, 'request_data', 'body') }, etag };
  };
  const delivery = useResource(`/v1/webhook/trigger?id=${id}`, load, { everyMs: everyMs.value });
  const { trigger } = delivery.data ?? {};
  useEffect(() => {
    if (trigger) everyMs.value = paceOf(trigger);
  }, [trigger]);
  return delivery;
}

function paceOf({ status, next_attempt_at }: WebhookTriggerDetailDto): number {
  if (status === 'DELIVERING') return 1_000;
  if (status !== 'PENDING') return 15_000;
  return next_attempt_at && Date.parse(next_attempt_at) - Date.now() > SOON_MS ? 10_000 : 2_000;
}
