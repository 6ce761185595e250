import type { WebhookDto } from 'webhook-notification-service-client';
import { Check, TextField } from '../parts/form/fields.js';
import { Fieldset } from '../parts/form/fieldset.js';
import type { FormState } from '../parts/form/form.js';
import { NUMBERS, SWITCHES, type TypedSettings } from './settings.js';

const numbers = Object.entries(NUMBERS) as [keyof typeof NUMBERS, (typeof NUMBERS)['timeout_ms']][];
const switches = Object.entries(SWITCHES) as [keyof typeof SWITCHES, (typeof SWITCHES)['coalesce']][];

/** Settings that most webhooks leave as they are. @param effective what holds while a field is empty, if it is known. */
export function SettingsFields<V extends TypedSettings>({
  form,
  effective,
}: {
  form: FormState<V>;
  effective?: WebhookDto['effective_settings'];
}) {
  const set = (changed: Partial<TypedSettings>) => form.set(changed as Partial<V>);
  return (
    <>
      <div class="split">
        {numbers.map(([name, { label, unit, inputMode, none = '', typed }]) => (
          <TextField
            key={name}
            field={{ name, value: form.values[name], set: (value) => set({ [name]: value }) }}
            label={unit ? `${label} (${unit})` : label}
            pointer={`/settings/${name}`}
            placeholder={effective?.[name] == null ? none : typed(effective[name])}
            inputMode={inputMode}
            autocomplete="off"
          />
        ))}
      </div>
      <p class="hint">A field that is left empty follows the service.</p>
      <Fieldset
        legend="Order and recovery"
        hint="All are off unless switched on."
        pointer="/settings/ordering"
      >
        {switches.map(([name, { label, hint }]) => (
          <Check
            key={name}
            label={label}
            hint={hint}
            checked={form.values[name]}
            onChange={(isOn) => set({ [name]: isOn })}
          />
        ))}
      </Fieldset>
    </>
  );
}
