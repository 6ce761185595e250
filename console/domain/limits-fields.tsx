import { TextField } from '../parts/form/fields.js';
import type { FormState } from '../parts/form/form.js';
import type { TypedSettings } from './settings.js';

/** The limits of a webhook. @param effective what holds while a field is empty, if it is known. */
export const LimitsFields = <V extends TypedSettings>({
  form,
  effective,
}: {
  form: FormState<V>;
  effective?: Partial<Record<keyof TypedSettings, string>>;
}) => {
  const field = (name: 'timeout' | 'rate' | 'concurrency') => ({
    name,
    value: form.values[name],
    set: (value: string) => form.set({ [name]: value } as Partial<V>),
  });
  return (
    <>
      <TextField
        field={field('timeout')}
        label="Longest wait for an answer (seconds)"
        pointer="/settings/timeout_ms"
        placeholder={effective?.timeout ?? ''}
        inputMode="decimal"
        autocomplete="off"
      />
      <TextField
        field={field('rate')}
        label="Attempts a second at most"
        pointer="/settings/rate_per_second"
        placeholder={effective?.rate ?? ''}
        inputMode="decimal"
        autocomplete="off"
      />
      <TextField
        field={field('concurrency')}
        label="Attempts at once"
        pointer="/settings/concurrency"
        placeholder={effective?.concurrency ?? ''}
        inputMode="numeric"
        autocomplete="off"
      />
    </>
  );
};
