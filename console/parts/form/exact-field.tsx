import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../icon.js';
import { useKeys } from '../keyboard.js';

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
  const input = useRef<HTMLInputElement>(null);
  const typed = useSignal(value);
  // Not after the next paint: something may have been typed by then, once all of it was deleted.
  useLayoutEffect(() => {
    typed.value = value;
  }, [value]);
  const apply = () => {
    if (typed.value !== value) onChange(typed.value);
  };
  useKeys([{ key: '/', does: 'Search', run: () => input.current?.select() }]);
  return (
    <div class="search">
      <Icon name="search" size={14} />
      <input
        ref={input}
        class="input"
        type="search"
        aria-label={label}
        placeholder={placeholder}
        title="/"
        autocomplete="off"
        spellcheck={false}
        value={typed.value}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
          // The cross of the field, or all of it deleted.
          if (typed.value === '') apply();
        }}
        onBlur={() => apply()}
        onKeyDown={(event) => {
          if (event.key === 'Enter') apply();
          if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
    </div>
  );
}
