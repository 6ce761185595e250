import type { WebhookRecoveryDto } from 'webhook-notification-service-client';
import { useAction } from '../../../data/action.js';
import { api } from '../../../data/api.js';
import { invalidate } from '../../../data/resource.js';
import { may } from '../../../data/who.js';
import { ActionButton } from '../../../parts/button.js';
import { toast, toastProblem } from '../../../parts/overlay/toasts.js';
import { count, counted, span } from '../../../parts/text/format.js';

export type Recovery = WebhookRecoveryDto;

/** How far a recovery is, with a way to stop it. */
export function RecoveryProgress({ recovery: { id, done, total, per_second } }: { recovery: Recovery }) {
  const stopping = useAction(
    () => api.DELETE('/v1/webhook/recover', { query: { id: id as string } }),
    (stopped) => {
      invalidate('/v1/webhook/recover/list');
      toast({ text: `Stopped. ${counted(stopped.done, 'delivery is', 'deliveries are')} sent again.` });
    },
    toastProblem,
  );
  const left = Math.max(0, total - done);
  return (
    <section class="card" aria-labelledby="under-way">
      <div class="row apart">
        <h2 id="under-way">Sending again</h2>
        {may('webhooks:write') && (
          <ActionButton action={stopping} icon="pause">
            Stop
          </ActionButton>
        )}
      </div>
      <progress value={done} max={Math.max(1, total)} aria-labelledby="under-way" />
      <p class="muted" role="status">
        {count(done)} of {count(total)}, {count(per_second)} a second
        {left > 0 && `: about ${span(Math.ceil(left / per_second))} to go`}.
      </p>
    </section>
  );
}
