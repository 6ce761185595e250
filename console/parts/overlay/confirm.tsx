import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Action } from '../../data/action.js';
import { Button } from '../button.js';
import { TextField } from '../form/fields.js';
import { ProblemBox } from '../text/boxes.js';
import { Dialog } from './dialog.js';

/** Asks before something that cannot be undone. `children` says what will be gone. */
export function Confirm({
  title,
  doing,
  typed,
  action,
  onClose,
  children,
}: {
  title: string;
  /** The words on the button: what it does. */
  doing: string;
  /** What has to be typed first, such as the name of what is deleted. */
  typed?: string;
  /** Close the dialog when it is done. */
  action: Action<[]>;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const value = useSignal('');
  const isMeant = typed === undefined || value.value.trim() === typed;
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (isMeant) action.run();
        }}
      >
        <div class="stack">{children}</div>
        {typed !== undefined && (
          <TextField
            label={`Type “${typed}” to go on`}
            field={{ name: 'typed', value: value.value, set: (text) => (value.value = text) }}
            autocomplete="off"
          />
        )}
        {action.problem && <ProblemBox problem={action.problem} />}
        <div class="dialog-end">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger primary" busy={action.busy} disabled={!isMeant}>
            {doing}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
