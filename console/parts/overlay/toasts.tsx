import { signal } from '@preact/signals';
import { render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Problem } from '../../data/problem.js';
import type { Tone } from '../badge.js';
import { Button } from '../button.js';
import { Icon } from '../icon.js';

export interface Toast {
  text: string;
  tone?: Extract<Tone, 'good' | 'bad'> | undefined;
  /** Takes back what was done. */
  undo?: (() => void) | undefined;
  /** Where to see what was done. */
  link?: { href: string; text: string } | undefined;
}

const SHOWN_MS = 6_000;
/** Who may want to take something back has more time. */
const UNDO_MS = 12_000;
const AT_ONCE = 4;

const toasts = signal<readonly (Toast & { id: number })[]>([]);
let ids = 0;

export function toast(shown: Toast): void {
  placeToasts();
  toasts.value = [...toasts.value, { ...shown, id: ++ids }].slice(-AT_ONCE);
}

/** For `useAction`, where no form shows the problem. */
export const toastProblem = ({ detail }: Problem): void => toast({ text: detail, tone: 'bad' });

const remove = (id: number) => {
  toasts.value = toasts.value.filter((shown) => shown.id !== id);
};

/** Where toasts appear. It is a root of its own, because it moves into whatever dialog is open. */
const region = document.createElement('section');
region.className = 'toasts';
region.setAttribute('aria-label', 'Messages');

/** Behind a modal dialog nothing can be pressed or is read out: toasts go where the person is. */
export function placeToasts(): void {
  const host = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;
  if (region.parentElement !== host) host.append(region);
}

export function startToasts(): void {
  render(<Toasts />, region);
  placeToasts();
}

const Toasts = () => (
  <>
    {toasts.value.map((shown) => (
      <OneToast key={shown.id} {...shown} />
    ))}
    <div class="hidden" role="status">
      {toasts.value.at(-1)?.text}
    </div>
  </>
);

function OneToast({ id, text, tone, undo, link }: Toast & { id: number }) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const stop = () => clearTimeout(timer.current);
  const start = () => {
    stop();
    timer.current = setTimeout(() => remove(id), undo || link ? UNDO_MS : SHOWN_MS);
  };
  useEffect(() => {
    start();
    return stop;
  }, []);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only stays while somebody reads it
    <div class="toast" onMouseEnter={stop} onMouseLeave={start} onFocusIn={stop} onFocusOut={start}>
      {tone && (
        <b class={`row ${tone}`}>
          <Icon name={tone === 'good' ? 'check' : 'warning'} />
        </b>
      )}
      <span>{text}</span>
      {link && <a href={link.href}>{link.text}</a>}
      {undo && (
        <Button
          small
          onClick={() => {
            remove(id);
            undo();
          }}
        >
          Undo
        </Button>
      )}
      <Button look="plain" small icon="cross" label="Close" onClick={() => remove(id)} />
    </div>
  );
}
