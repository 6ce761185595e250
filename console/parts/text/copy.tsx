import { Button } from '../button.js';
import { toast } from '../overlay/toasts.js';

/** Copies, also where the page comes over plain HTTP and the browser gives no clipboard. */
export async function copy(text: string, what = 'Copied'): Promise<void> {
  const isDone = (await viaClipboard(text)) || viaSelection(text);
  toast(isDone ? { text: what, tone: 'good' } : { text: 'The browser did not allow copying.', tone: 'bad' });
}

async function viaClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

function viaSelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'hidden';
  const focused = document.activeElement;
  // Inside the dialog, if there is one: nothing else can be selected.
  (focused?.closest('dialog') ?? document.body).append(area);
  area.select();
  const isDone = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isDone;
}

export function CopyButton({ text, label = 'Copy' }: { text: string | (() => string); label?: string }) {
  return (
    <span class="copy above">
      <Button
        look="plain"
        small
        icon="copy"
        label={label}
        onClick={() => copy(typeof text === 'string' ? text : text())}
      />
    </span>
  );
}

/** An id, an address: to read, and to copy. */
export const CopyText = ({ text, label }: { text: string; label?: string }) => (
  <span class="copy-text">
    <code>{text}</code>
    <CopyButton text={text} {...(label && { label })} />
  </span>
);
