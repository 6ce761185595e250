import type { CreatedWebhookDto } from 'webhook-notification-service-client';
import { useSendTest } from '../../domain/send-test.js';
import { useGo } from '../../parts/address.js';
import { Button } from '../../parts/button.js';
import { Dialog } from '../../parts/overlay/dialog.js';
import { CopyText } from '../../parts/text/copy.js';

/** The secret, before it is hidden, and what to do next. */
export function CreatedDialog({ webhook: { id, name, secret, events } }: { webhook: CreatedWebhookDto }) {
  const go = useGo();
  const test = useSendTest();
  const leave = () => go(`/webhooks/${id}`);
  return (
    <Dialog title={`${name} is created`} onClose={leave}>
      <p>
        Requests are signed with this secret. Put it where your receiver reads its secrets, and verify each
        request.
      </p>
      <p class="secret">
        <CopyText text={secret} label="Copy the secret" />
      </p>
      {events.length === 0 && (
        <p class="warn">No kind of event was picked: nothing but tests is sent until one is, under Kinds.</p>
      )}
      <div class="dialog-end">
        <Button icon="delivery" busy={test.busy} onClick={() => test.run(id)}>
          Send a test
        </Button>
        <Button look="primary" onClick={leave}>
          To the webhook
        </Button>
      </div>
    </Dialog>
  );
}
