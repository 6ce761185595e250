import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Problem } from '../../data/problem.js';
import { ProblemBox } from '../text/boxes.js';
import { type FieldErrors, FormErrors, isAt, useFormErrors } from './form.js';

/** No error of a field was found while typing. */
const NONE: FieldErrors = [];

/**
 * A form. Errors appear at their fields, by JSON Pointer; what belongs to none of them, above the end. After a refusal
 * the focus goes to the first field that is wrong. Nothing typed is lost.
 */
export function Form({
  problem,
  judged = NONE,
  onSubmit,
  children,
  end,
}: {
  problem: Problem | undefined;
  /** What was found wrong while typing. */
  judged?: FieldErrors;
  onSubmit: () => void;
  children: ComponentChildren;
  /** The buttons. */
  end: ComponentChildren;
}) {
  const form = useRef<HTMLFormElement>(null);
  const context = useFormErrors(problem, judged);
  useEffect(() => {
    if (problem) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [problem]);
  const isClaimed = ({ pointer }: { pointer: string }) =>
    [...context.claimed].some((field) => isAt(pointer, field));
  const unclaimed = problem?.errors.filter((error) => !isClaimed(error)) ?? [];
  return (
    <FormErrors.Provider value={context}>
      <form
        ref={form}
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {children}
        {problem && <ProblemBox problem={{ ...problem, errors: unclaimed }} />}
        <div class="form-end">{end}</div>
      </form>
    </FormErrors.Provider>
  );
}
