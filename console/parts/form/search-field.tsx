import type { InputHTMLAttributes } from 'preact';
import { useRef } from 'preact/hooks';
import { Icon } from '../icon.js';
import { useKeys } from '../keyboard.js';

/** Filters what is below while one types. `/` leads here, Escape away. */
export function SearchField({
  label,
  value,
  onChange,
  onEnter,
  ...more
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  onEnter?: () => void;
} & Pick<InputHTMLAttributes, 'placeholder' | 'autocomplete' | 'spellcheck' | 'onBlur'>) {
  const input = useRef<HTMLInputElement>(null);
  useKeys([{ key: '/', does: 'Search', run: () => input.current?.select() }]);
  return (
    <div class="search">
      <Icon name="search" size={14} />
      <input
        placeholder={`${label}…`}
        {...more}
        ref={input}
        class="input"
        type="search"
        aria-label={label}
        title="/"
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onEnter?.();
          if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
    </div>
  );
}
