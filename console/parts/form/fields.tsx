import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Icon } from '../icon.js';
import { type Field, useFieldError } from './form.js';

interface FieldProps<T> {
  field: Field<T>;
  label: string;
  hint?: ComponentChildren;
  /** Where the service says what is wrong with it. @default `/` and the field's name */
  pointer?: string;
}

/** The attributes that tie a control to its label, hint and error. */
interface Tied {
  id: string;
  name: string;
  'aria-describedby': string | undefined;
  'aria-invalid': 'true' | undefined;
}

/** A control with its label, hint and error. */
function FieldBox<T>({
  field,
  label,
  hint,
  pointer = `/${field.name}`,
  children,
}: FieldProps<T> & { children: (tied: Tied) => ComponentChildren }) {
  const id = useId();
  const error = useFieldError(pointer).value;
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        name: field.name,
        'aria-describedby': described || undefined,
        'aria-invalid': error ? 'true' : undefined,
      })}
      {/* There from the beginning, so that what appears in it is read out. */}
      <div class="error" id={`${id}-error`} aria-live="polite">
        {error && (
          <>
            <Icon name="warning" size={12} />
            {error}
          </>
        )}
      </div>
      {hint && (
        <div class="hint" id={`${id}-hint`}>
          {hint}
        </div>
      )}
    </div>
  );
}

interface InputProps {
  type?: 'text' | 'password' | 'url' | 'number' | 'datetime-local' | undefined;
  mono?: boolean;
  placeholder?: string;
  required?: boolean;
  autocomplete?: 'off' | 'on' | 'current-password';
  spellcheck?: boolean;
  inputMode?: 'numeric' | 'decimal' | 'url';
  /** The id of a `<datalist>`. */
  list?: string;
  /** Asks for the focus when it appears. */
  autofocus?: boolean;
  /** Buttons beside it. */
  children?: ComponentChildren;
}

export function TextField({
  field,
  label,
  hint,
  pointer,
  mono = false,
  children,
  ...rest
}: FieldProps<string> & InputProps) {
  return (
    <FieldBox field={field} label={label} hint={hint} {...(pointer !== undefined && { pointer })}>
      {(tied) => (
        <div class="with-button">
          <input
            {...(rest as object)}
            {...tied}
            class={`input${mono ? ' mono' : ''}`}
            value={field.value}
            onInput={(event) => field.set(event.currentTarget.value)}
          />
          {children}
        </div>
      )}
    </FieldBox>
  );
}

export function TextArea({
  field,
  label,
  hint,
  pointer,
  mono = false,
  ...rest
}: FieldProps<string> & { mono?: boolean; placeholder?: string; rows?: number; spellcheck?: boolean }) {
  return (
    <FieldBox field={field} label={label} hint={hint} {...(pointer !== undefined && { pointer })}>
      {(tied) => (
        <textarea
          {...rest}
          {...tied}
          class={`input${mono ? ' mono' : ''}`}
          value={field.value}
          onInput={(event) => field.set(event.currentTarget.value)}
        />
      )}
    </FieldBox>
  );
}

export type Choices<K extends string> = readonly (readonly [key: K, text: string])[];

export function SelectField<K extends string>({
  field,
  label,
  hint,
  pointer,
  choices,
}: FieldProps<K> & { choices: Choices<K> }) {
  return (
    <FieldBox field={field} label={label} hint={hint} {...(pointer !== undefined && { pointer })}>
      {(tied) => (
        <select
          {...tied}
          class="input"
          value={field.value}
          onChange={(event) => field.set(event.currentTarget.value as K)}
        >
          {choices.map(([key, text]) => (
            <option key={key} value={key}>
              {text}
            </option>
          ))}
        </select>
      )}
    </FieldBox>
  );
}

export const Check = ({
  label,
  hint,
  checked,
  onChange,
  disabled = false,
}: {
  label: ComponentChildren;
  hint?: ComponentChildren;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}) => (
  <label class="check">
    <input
      type="checkbox"
      checked={checked}
      disabled={disabled}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
    <span>{label}</span>
    {hint && <small>{hint}</small>}
  </label>
);
