import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { SearchField } from './search-field.js';

/** Finds exactly what is typed, once it is all there: by Enter, or when the field is left. `/` leads here. */
export function ExactField({
  label,
  placeholder,
  value,
  onChange,
}: {
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const typed = useSignal(value);
  // Not after the next paint: something may have been typed by then, once all of it was deleted.
  useLayoutEffect(() => {
    typed.value = value;
  }, [value]);
  const apply = () => {
    if (typed.value !== value) onChange(typed.value);
  };
  return (
    <SearchField
      label={label}
      placeholder={placeholder}
      autocomplete="off"
      spellcheck={false}
      value={typed.value}
      onChange={(text) => {
        typed.value = text;
        // The cross of the field, or all of it deleted.
        if (text === '') apply();
      }}
      onBlur={() => apply()}
      onEnter={apply}
    />
  );
}
