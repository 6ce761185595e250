import type { DataOf } from 'webhook-notification-service-client';
import { type Action, useAction } from '../data/action.js';
import { api } from '../data/api.js';
import type { Answer } from '../data/call.js';
import { invalidate } from '../data/resource.js';
import { toast, toastProblem } from '../parts/overlay/toasts.js';
import { counted } from '../parts/text/format.js';

type Retried = Extract<DataOf<'POST', '/v1/webhook/trigger/retry'>, { skipped: unknown }>;

/** The service takes this many at once. */
const AT_ONCE = 100;

const WHY_NOT: Record<Retried['skipped'][number]['code'], string> = {
  trigger_delivering: 'under way already',
  payload_gone: 'without their data, which was erased or is past its retention',
  not_found: 'gone',
  user_moved: 'of a user who has moved to another cell',
};

/** Makes deliveries due now, and says which could not be. */
export function useSendAgain(then?: () => void): Action<[ids: readonly string[]]> {
  return useAction(
    sendAgain,
    ({ triggers, skipped }) => {
      invalidate('/v1/webhook/trigger', '/v1/notification');
      toast({ text: outcome(triggers, skipped), tone: skipped.length === 0 ? 'good' : 'bad' });
      then?.();
    },
    toastProblem,
  );
}

async function sendAgain(ids: readonly string[]): Promise<Answer<Retried>> {
  const all: Retried = { triggers: 0, skipped: [] };
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const answer = await api.POST('/v1/webhook/trigger/retry', {
      body: { ids: ids.slice(from, from + AT_ONCE) },
    });
    if (answer.problem) return answer;
    const { triggers, skipped } = answer.data as Retried;
    all.triggers += triggers;
    all.skipped.push(...skipped);
  }
  return { data: all, etag: null };
}

function outcome(triggers: number, skipped: Retried['skipped']): string {
  const parts = Object.entries(WHY_NOT).map(([code, why]) => {
    const left = skipped.filter((one) => one.code === code).length;
    return left > 0 ? `${counted(left, 'is', 'are')} ${why}` : '';
  });
  const sent =
    triggers > 0 || skipped.length === 0 ? `${counted(triggers, 'delivery', 'deliveries')} sent again` : '';
  return `${[sent, ...parts].filter(Boolean).join('; ')}.`;
}
