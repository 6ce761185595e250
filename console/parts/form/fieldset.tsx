import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Icon } from '../icon.js';
import { useFieldError } from './form.js';

/** Several controls that make one value, with its hint and error. */
export function Fieldset({
  legend,
  hint,
  pointer,
  children,
}: {
  legend: string;
  hint?: ComponentChildren;
  pointer: string;
  children: ComponentChildren;
}) {
  const id = useId();
  const error = useFieldError(pointer).value;
  return (
    <fieldset class="fieldset" aria-describedby={`${id}-error ${id}-hint`}>
      <legend class="legend">{legend}</legend>
      <div class="hint" id={`${id}-hint`}>
        {hint}
      </div>
      {children}
      <div class="error" id={`${id}-error`} aria-live="polite">
        {error && (
          <>
            <Icon name="warning" size={12} />
            {error}
          </>
        )}
      </div>
    </fieldset>
  );
}
