import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../button.js';
import { placeToasts } from './toasts.js';

export interface DialogProps {
  title: string;
  onClose: () => void;
  wide?: boolean;
  children: ComponentChildren;
  /** A dialog that has to be answered: neither Escape nor a press outside closes it. */
  locked?: boolean;
}

/** A modal dialog, for as long as it is rendered. The browser keeps the focus in it, and gives it back. */
export function Dialog({ title, onClose, wide = false, locked = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Before anything else happens: the next key is meant for the dialog.
  useLayoutEffect(() => {
    const element = dialog.current;
    const focused = document.activeElement;
    element?.showModal();
    placeToasts();
    return () => {
      element?.close();
      placeToasts();
      if (focused instanceof HTMLElement && focused.isConnected) focused.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: by keyboard it is Escape, which the browser turns into "cancel"
    <dialog
      ref={dialog}
      class={`dialog${wide ? ' wide' : ''}`}
      aria-labelledby={titleId}
      // A browser lets Escape close any dialog, the second time at the latest.
      onClose={() => {
        if (dialog.current?.open !== false) return;
        if (locked) dialog.current.showModal();
        else onClose();
      }}
      onCancel={(event) => {
        event.preventDefault();
        if (!locked) onClose();
      }}
      onClick={(event) => {
        if (!locked && event.target === event.currentTarget && isOutside(event)) onClose();
      }}
    >
      <div class="dialog-head">
        <h2 id={titleId}>{title}</h2>
        {!locked && <Button look="plain" small icon="cross" label="Close" onClick={onClose} />}
      </div>
      {children}
    </dialog>
  );
}

/** On the backdrop, which belongs to the dialog. */
export function isOutside({ clientX, clientY, currentTarget }: MouseEvent): boolean {
  const { left, right, top, bottom } = (currentTarget as Element).getBoundingClientRect();
  return clientX < left || clientX > right || clientY < top || clientY > bottom;
}
