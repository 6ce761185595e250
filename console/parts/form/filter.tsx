import type { Choices } from './fields.js';

/** A choice above a list. The first one is usually "all". */
export const Filter = <K extends string>({
  label,
  value,
  choices,
  onChange,
}: {
  label: string;
  value: K;
  choices: Choices<K>;
  onChange: (value: K) => void;
}) => (
  <select
    class="input"
    aria-label={label}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value as K)}
  >
    {choices.map(([key, text]) => (
      <option key={key} value={key}>
        {text}
      </option>
    ))}
  </select>
);
