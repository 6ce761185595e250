import { SCHEMES } from '../../domain/schemes.js';
import { SettingsFields } from '../../domain/settings-fields.js';
import { SelectField, TextField } from '../../parts/form/fields.js';
import type { FormState } from '../../parts/form/form.js';
import type { NewWebhook } from './new-webhook.js';

/** What most webhooks leave as it is. */
export function MoreFields({ form }: { form: FormState<NewWebhook> }) {
  return (
    <details class="more">
      <summary>Order, limits and signature</summary>
      <div class="form">
        <SettingsFields form={form} />
        <SelectField field={form.field('scheme')} label="Signature" pointer="/signature" choices={SCHEMES} />
        <TextField
          field={form.field('secret')}
          label="Signing secret"
          hint="Only to move a receiver over with the secret that it has. Left empty, one is made."
          type="password"
          autocomplete="off"
          mono
        />
      </div>
    </details>
  );
}
