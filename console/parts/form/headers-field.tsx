import { useSignal } from '@preact/signals';
import { Button } from '../button.js';
import { Fieldset } from './fieldset.js';
import type { Field } from './form.js';

/** A header as it is typed; `id` keeps rows apart while their names change. */
export interface HeaderRow {
  id: number;
  name: string;
  value: string;
}

/** Of such names the service answers only the mask `********`. */
const SECRET = /^(authorization|cookie)$|token|secret|key|password|signature/i;

let ids = 0;

export const newHeader = (name = '', value = ''): HeaderRow => ({ id: ++ids, name, value });

/** What the API takes. Rows without a name and a value are nothing. */
export const headersOf = (rows: readonly HeaderRow[]): Record<string, string> =>
  Object.fromEntries(
    rows.filter(({ name, value }) => name !== '' || value !== '').map(({ name, value }) => [name, value]),
  );

/** Headers that are sent with every request. Values that may be credentials are hidden unless asked for. */
export function HeadersField({ field }: { field: Field<readonly HeaderRow[]> }) {
  const rows = field.value;
  const change = (id: number, changed: Partial<HeaderRow>) =>
    field.set(rows.map((row) => (row.id === id ? { ...row, ...changed } : row)));
  return (
    <Fieldset
      legend="Headers"
      hint="Sent with every request. Credentials are stored encrypted, and never shown again."
      pointer="/headers"
    >
      {rows.map((row, index) => (
        <HeaderPair
          key={row.id}
          row={row}
          number={index + 1}
          onChange={(changed) => change(row.id, changed)}
          onRemove={() => field.set(rows.filter(({ id }) => id !== row.id))}
        />
      ))}
      <div>
        <Button small icon="plus" onClick={() => field.set([...rows, newHeader()])}>
          Add a header
        </Button>
      </div>
    </Fieldset>
  );
}

function HeaderPair({
  row,
  number,
  onChange,
  onRemove,
}: {
  row: HeaderRow;
  number: number;
  onChange: (changed: Partial<HeaderRow>) => void;
  onRemove: () => void;
}) {
  const isShown = useSignal(false);
  const isSecret = SECRET.test(row.name);
  return (
    <div class="pair">
      <input
        class="input mono"
        aria-label={`Name of header ${number}`}
        placeholder="X-Team"
        value={row.name}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onChange({ name: event.currentTarget.value.trim() })}
      />
      <input
        class="input mono"
        aria-label={`Value of header ${number}`}
        placeholder="risk"
        value={row.value}
        {...({ type: isSecret && !isShown.value ? 'password' : 'text' } as object)}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onChange({ value: event.currentTarget.value })}
      />
      <span class="row">
        {isSecret && (
          <Button
            look="plain"
            icon="eye"
            label={`Show the value of header ${number}`}
            aria-pressed={isShown.value}
            onClick={() => (isShown.value = !isShown.value)}
          />
        )}
        <Button look="plain" icon="cross" label={`Remove header ${number}`} onClick={onRemove} />
      </span>
    </div>
  );
}
