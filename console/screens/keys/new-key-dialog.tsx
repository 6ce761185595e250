import { useSignal } from '@preact/signals';
import type { WebhookCreatedApiKeyDto } from 'webhook-notification-service-client';
import { useAction } from '../../data/action.js';
import { api } from '../../data/api.js';
import { invalidate } from '../../data/resource.js';
import { me, type Scope, whose } from '../../data/who.js';
import { Button } from '../../parts/button.js';
import { Check, TextField } from '../../parts/form/fields.js';
import { Fieldset } from '../../parts/form/fieldset.js';
import { useForm } from '../../parts/form/form.js';
import { Form } from '../../parts/form/form-box.js';
import { Dialog } from '../../parts/overlay/dialog.js';
import { CopyText } from '../../parts/text/copy.js';
import { SCOPES } from './scopes.js';

interface Values {
  user_id: string;
  name: string;
  scopes: readonly Scope[];
}

/** Makes a key, and shows it this once. */
export function NewKeyDialog({ onClose }: { onClose: () => void }) {
  const form = useForm<Values>({
    user_id: whose.value ?? me.value?.user_id ?? '',
    name: '',
    scopes: ['webhooks:read'],
  });
  const created = useSignal<WebhookCreatedApiKeyDto | null>(null);
  const { user_id, name, scopes } = form.values;
  const create = useAction(
    () =>
      api.POST('/v1/api-key', {
        body: { user_id: user_id.trim(), scopes: [...scopes], name: name.trim() || null },
      }),
    (key) => {
      invalidate('/v1/api-key');
      created.value = key;
    },
  );
  if (created.value) return <CreatedKey created={created.value} onClose={onClose} />;
  return (
    <Dialog title="New API key" onClose={onClose}>
      <Form
        problem={create.problem}
        onSubmit={create.run}
        end={
          <Button type="submit" look="primary" busy={create.busy}>
            Create key
          </Button>
        }
      >
        <TextField
          field={form.field('user_id')}
          label="User"
          hint="Whose webhooks it is for, under the name that notifications use."
          autocomplete="off"
          spellcheck={false}
        />
        <TextField
          field={form.field('name')}
          label="Name"
          hint="To know it by. May be left empty."
          autocomplete="off"
        />
        <Fieldset legend="What it may do" pointer="/scopes">
          {SCOPES.map(([scope, does]) => (
            <Check
              key={scope}
              label={<code>{scope}</code>}
              hint={does}
              checked={scopes.includes(scope)}
              onChange={(isOn) =>
                form.set({ scopes: isOn ? [...scopes, scope] : scopes.filter((one) => one !== scope) })
              }
            />
          ))}
        </Fieldset>
      </Form>
    </Dialog>
  );
}

/** Locked: the key is nowhere else. */
const CreatedKey = ({ created, onClose }: { created: WebhookCreatedApiKeyDto; onClose: () => void }) => (
  <Dialog title="The key is created" onClose={onClose} locked>
    <p>
      Copy it now: it is kept nowhere, and is not shown again. Programs send it as{' '}
      <code>Authorization: Bearer …</code>; a person signs in here with it.
    </p>
    <p class="secret">
      <CopyText text={created.key} label="Copy the key" />
    </p>
    <div class="dialog-end">
      <Button look="primary" onClick={onClose}>
        I have copied it
      </Button>
    </div>
  </Dialog>
);
