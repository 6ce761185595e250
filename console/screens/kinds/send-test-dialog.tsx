import { useSignal } from '@preact/signals';
import { to } from '../../data/place.js';
import { useAllWebhooks } from '../../domain/all-webhooks.js';
import { useSendTest } from '../../domain/send-test.js';
import { Button, ButtonLink } from '../../parts/button.js';
import { SelectField } from '../../parts/form/fields.js';
import { Form } from '../../parts/form/form-box.js';
import { Dialog } from '../../parts/overlay/dialog.js';
import { ProblemBox } from '../../parts/text/boxes.js';
import { Bones, Empty } from '../../parts/text/empty.js';

/** Sends the example of a kind to a webhook, whether it is subscribed or not. */
export function SendTestDialog({ kind, onClose }: { kind: string; onClose: () => void }) {
  const webhooks = useAllWebhooks();
  const picked = useSignal('');
  const test = useSendTest();
  const choices = (webhooks.rows ?? [])
    .map((webhook) => ({ ...webhook, isSubscribed: webhook.events.some((event) => event.kind === kind) }))
    .toSorted((a, b) => Number(b.isSubscribed) - Number(a.isSubscribed))
    .map(
      ({ id, name, url, isSubscribed }) =>
        [id, `${name} – ${url}${isSubscribed ? '' : ' (not subscribed)'}`] as const,
    );
  const id = picked.value || choices[0]?.[0] || '';
  return (
    <Dialog title={`Send a test: ${kind}`} onClose={onClose}>
      {!webhooks.rows && (webhooks.problem ? <ProblemBox problem={webhooks.problem} /> : <Bones lines={2} />)}
      {webhooks.rows?.length === 0 && (
        <Empty title="No webhook yet">
          <ButtonLink href={to('/webhooks/new')}>Create one</ButtonLink>
        </Empty>
      )}
      {choices.length > 0 && (
        <Form
          problem={test.problem}
          onSubmit={async () => {
            await test.run(id, kind);
            if (!test.problem) onClose();
          }}
          end={
            <Button type="submit" look="primary" busy={test.busy}>
              Send
            </Button>
          }
        >
          <SelectField
            field={{ name: 'id', value: id, set: (value) => (picked.value = value) }}
            label="Webhook"
            choices={choices}
            hint="The example goes the way of every notification: signed, timed, recorded."
          />
        </Form>
      )}
    </Dialog>
  );
}
