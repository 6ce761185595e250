import { useSignal } from '@preact/signals';
import type { WebhookDto } from 'webhook-notification-service-client';
import { useAction } from '../../data/action.js';
import { api } from '../../data/api.js';
import { to } from '../../data/place.js';
import { invalidate } from '../../data/resource.js';
import { Confirm } from '../../parts/overlay/confirm.js';
import { toast, toastProblem } from '../../parts/overlay/toasts.js';
import { usePending, WhatIsCancelled } from './pending.js';

interface Switch {
  readonly busy: boolean;
  readonly isAsking: boolean;
  readonly action: ReturnType<typeof useAction<[], WebhookDto>>;
  /** Pauses or resumes; asks first where a pause would cancel something. */
  ask(): void;
  stop(): void;
}

/** Switches a webhook off and on. */
export function useSwitch({ id, name, enabled }: WebhookDto): Switch {
  const isAsking = useSignal(false);
  const turn = (isOn: boolean) => api.PATCH('/v1/webhook', { body: { id, enabled: isOn } });
  const back = useAction(turn, () => reload(), toastProblem);
  const reload = () => invalidate('/v1/webhook');
  const action = useAction(
    () => turn(!enabled),
    () => {
      isAsking.value = false;
      reload();
      toast(
        enabled
          ? { text: `${name} is paused.`, undo: () => back.run(true) }
          : {
              text: `${name} is on again.`,
              link: { href: to(`/webhooks/${id}?tab=recover`), text: 'Send what it missed' },
            },
      );
    },
    (problem) => {
      if (!isAsking.peek()) toastProblem(problem);
    },
  );
  const looking = useAction(
    () => api.GET('/v1/webhook/trigger/list', { query: { webhook_id: id, status: 'PENDING', limit: '1' } }),
    ({ data }) => {
      if (data.length > 0) isAsking.value = true;
      else action.run();
    },
    toastProblem,
  );
  return {
    get busy() {
      return action.busy || looking.busy;
    },
    get isAsking() {
      return isAsking.value;
    },
    action,
    ask: () => void (enabled ? looking.run() : action.run()),
    stop: () => {
      isAsking.value = false;
    },
  };
}

export function PauseDialog({ webhook, switching }: { webhook: WebhookDto; switching: Switch }) {
  const pending = usePending(webhook.id);
  return (
    <Confirm title={`Pause ${webhook.name}`} doing="Pause" action={switching.action} onClose={switching.stop}>
      <WhatIsCancelled webhook={webhook} pending={pending} />
      <p class="muted">They can be sent again under Recover, once the webhook is on again.</p>
    </Confirm>
  );
}
