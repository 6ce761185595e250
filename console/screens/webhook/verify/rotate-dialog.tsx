import { useSignal } from '@preact/signals';
import type { WebhookDto, WebhookRotatedSecretDto } from 'webhook-notification-service-client';
import { useAction } from '../../../data/action.js';
import { api } from '../../../data/api.js';
import { Button } from '../../../parts/button.js';
import { SelectField, TextField } from '../../../parts/form/fields.js';
import { useForm } from '../../../parts/form/form.js';
import { Form } from '../../../parts/form/form-box.js';
import { Dialog } from '../../../parts/overlay/dialog.js';
import { CopyText } from '../../../parts/text/copy.js';
import { Countdown } from '../../../parts/text/time.js';

const OVERLAPS = [
  ['86400', 'for a day'],
  ['3600', 'for an hour'],
  ['604800', 'for a week'],
  ['0', 'no longer: it may have leaked'],
] as const;

/** A new secret; the one before goes on signing meanwhile, so that the receiver can change over. */
export function RotateDialog({
  webhook: { id, name, signature },
  what,
  onDone,
  onClose,
}: {
  webhook: WebhookDto;
  what: string;
  onDone: (secret: string) => void;
  onClose: () => void;
}) {
  const form = useForm<{ overlap_seconds: (typeof OVERLAPS)[number][0]; secret: string }>({
    overlap_seconds: '86400',
    secret: '',
  });
  const rotated = useSignal<WebhookRotatedSecretDto | undefined>(undefined);
  const rotating = useAction(
    () => {
      const { overlap_seconds, secret } = form.values;
      return api.POST('/v1/webhook/secret/rotate', {
        body: {
          id,
          overlap_seconds: Number(overlap_seconds),
          ...(secret.trim() && { secret: secret.trim() }),
        },
      });
    },
    (answer) => {
      rotated.value = answer;
      onDone(answer.secret);
    },
  );
  if (rotated.value) {
    const { secret, previous_expires_at } = rotated.value;
    return (
      <Dialog title={`${name} has a new ${what}`} onClose={onClose}>
        <p class="secret">
          <CopyText text={secret} label={`Copy the ${what}`} />
        </p>
        <p>
          {previous_expires_at ? (
            <>
              Give it to your receiver. The one before ceases to sign <Countdown to={previous_expires_at} />.
            </>
          ) : (
            'Give it to your receiver: the one before does not sign any more.'
          )}
        </p>
        <div class="dialog-end">
          <Button look="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title={`Rotate the ${what} of ${name}`} onClose={onClose}>
      <Form
        problem={rotating.problem}
        onSubmit={rotating.run}
        end={
          <>
            <Button type="submit" look="primary" busy={rotating.busy}>
              Rotate
            </Button>
            <Button onClick={onClose}>Cancel</Button>
          </>
        }
      >
        <SelectField
          field={form.field('overlap_seconds')}
          label="The one before goes on signing"
          choices={OVERLAPS}
          hint={
            signature.scheme === 'github'
              ? 'GitHub’s header carries one signature, that of the new one: change your receiver at once.'
              : 'Requests carry a signature of each; your receiver accepts either.'
          }
        />
        {signature.scheme !== 'standard-asymmetric' && (
          <TextField
            field={form.field('secret')}
            label="New secret"
            hint="Left empty, one is made."
            type="password"
            autocomplete="off"
            mono
          />
        )}
      </Form>
    </Dialog>
  );
}
