import type { WebhookDto } from 'webhook-notification-service-client';
import { useAction } from '../../data/action.js';
import { api } from '../../data/api.js';
import { invalidate } from '../../data/resource.js';
import { useGo } from '../../parts/address.js';
import { Confirm } from '../../parts/overlay/confirm.js';
import { toast } from '../../parts/overlay/toasts.js';
import { usePending, WhatIsCancelled } from './pending.js';

/** Deleting cannot be undone: the name has to be typed. */
export function DeleteDialog({ webhook, onClose }: { webhook: WebhookDto; onClose: () => void }) {
  const { id, name } = webhook;
  const go = useGo();
  const pending = usePending(id);
  const deleting = useAction(
    () => api.DELETE('/v1/webhook', { query: { id } }),
    () => {
      go('/webhooks');
      invalidate('/v1/webhook/list', '/v1/webhook/trigger/list');
      toast({ text: `${name} is deleted.`, tone: 'good' });
    },
  );
  return (
    <Confirm title={`Delete ${name}`} doing="Delete" typed={name} action={deleting} onClose={onClose}>
      <WhatIsCancelled webhook={webhook} pending={pending} />
      <p>Its secret is gone for good. What was delivered stays listed until its time is over.</p>
    </Confirm>
  );
}
