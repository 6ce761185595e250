import type { WebhookTriggerDetailDto } from 'webhook-notification-service-client';
import { type Action, useAction } from '../data/action.js';
import { api } from '../data/api.js';
import { pause } from '../data/pause.js';
import { to } from '../data/place.js';
import { invalidate } from '../data/resource.js';
import { toast, toastProblem } from '../parts/overlay/toasts.js';
import { milliseconds } from '../parts/text/format.js';

/** An attempt ends after 30 s at the latest. */
const LOOKS = 40;
const PAUSE_MS = 800;
const FIRST_PAUSE_MS = 150;

/** Sends a sample notification, and says what the receiver answered. */
export function useSendTest(): Action<[webhookId: string, kind?: string]> {
  return useAction(
    (id: string, kind?: string) =>
      api.POST('/v1/webhook/test', { body: { id, ...(kind && { event_kind: kind }) } }),
    ({ id }) => {
      tell(id);
    },
    toastProblem,
  );
}

async function tell(id: string): Promise<void> {
  for (let look = 0; look < LOOKS; look += 1) {
    await pause(look < 3 ? FIRST_PAUSE_MS : PAUSE_MS);
    const { data } = await api.GET('/v1/webhook/trigger', { query: { id } });
    if (data === undefined || data.attempt_count === 0 || data.status === 'DELIVERING') continue;
    invalidate('/v1/webhook/trigger/list', '/v1/webhook/stats');
    toast({ ...outcome(data), link: { href: to(`/deliveries/${id}`), text: 'Delivery' } });
    return;
  }
  toast({ text: 'The test is on its way.', link: { href: to(`/deliveries/${id}`), text: 'Delivery' } });
}

function outcome({ status, response_data, diagnosis, error }: WebhookTriggerDetailDto) {
  if (status !== 'SUCCEEDED') {
    return {
      text: diagnosis?.summary ?? error?.message ?? 'The test was not delivered.',
      tone: 'bad' as const,
    };
  }
  const { status: answered, duration_ms } = response_data ?? {};
  return { text: `Delivered: answered ${answered} in ${milliseconds(duration_ms)}.`, tone: 'good' as const };
}
