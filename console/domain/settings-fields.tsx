import type { WebhookDto } from '../../src/client/index.js';
import { Check, TextField } from '../parts/form/fields.js';
import { Fieldset } from '../parts/form/fieldset.js';
import type { FormState } from '../parts/form/form.js';
import type { TypedSettings } from './settings.js';

const SWITCHES = [
  [
    'isOrdered',
    'Keep the order of each record',
    'What is reported of a record is sent one at a time, in its order. One that fails holds back the later ones of its record only.',
  ],
  [
    'isCoalesced',
    'Send only the newest of a record and kind',
    'Of several that wait, the earlier ones are cancelled.',
  ],
  [
    'comesBack',
    'Come back by itself',
    'If it is switched off for failing, it is tried now and then. Once it answers it is on again, and gets what it missed.',
  ],
] as const;

/** Settings that most webhooks leave as they are. @param effective what holds while a field is empty, if it is known. */
export function SettingsFields<V extends TypedSettings>({
  form,
  effective,
}: {
  form: FormState<V>;
  effective?: WebhookDto['effective_settings'];
}) {
  const field = (name: 'timeout' | 'rate' | 'concurrency') => ({
    name,
    value: form.values[name],
    set: (value: string) => form.set({ [name]: value } as Partial<V>),
  });
  return (
    <>
      <div class="split">
        <TextField
          field={field('timeout')}
          label="Longest wait for an answer (seconds)"
          pointer="/settings/timeout_ms"
          placeholder={effective ? `${effective.timeout_ms / 1000}` : ''}
          inputMode="decimal"
          autocomplete="off"
        />
        <TextField
          field={field('rate')}
          label="Attempts a second at most"
          pointer="/settings/rate_per_second"
          placeholder={`${effective?.rate_per_second ?? 'No limit'}`}
          inputMode="decimal"
          autocomplete="off"
        />
        <TextField
          field={field('concurrency')}
          label="Attempts at once"
          pointer="/settings/concurrency"
          placeholder={`${effective?.concurrency ?? ''}`}
          inputMode="numeric"
          autocomplete="off"
        />
      </div>
      <p class="hint">A field that is left empty follows the service.</p>
      <Fieldset
        legend="Order and recovery"
        hint="All are off unless switched on."
        pointer="/settings/ordering"
      >
        {SWITCHES.map(([name, label, hint]) => (
          <Check
            key={name}
            label={label}
            hint={hint}
            checked={form.values[name]}
            onChange={(isOn) => form.set({ [name]: isOn } as unknown as Partial<V>)}
          />
        ))}
      </Fieldset>
    </>
  );
}
