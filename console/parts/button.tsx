import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import type { Action } from '../data/action.js';
import { Icon, type IconName } from './icon.js';

export type ButtonLook = 'primary' | 'plain' | 'danger' | 'danger primary';

interface Looks {
  look?: ButtonLook | undefined;
  small?: boolean | undefined;
  icon?: IconName | undefined;
  /** Required without children: what a screen reader says, and a tooltip. */
  label?: string | undefined;
}

type ButtonProps = Looks & {
  /** Shows that something is under way, and takes no second press. */
  busy?: boolean | undefined;
} & Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'icon' | 'label'>;

export function Button({ look, small, icon, label, busy = false, children, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      class={classOf(look, small, children)}
      aria-label={label}
      title={label}
      // Not `disabled`, which would throw the focus away.
      aria-disabled={busy || undefined}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.call(event.currentTarget, event);
      }}
    >
      {busy ? <span class="spinner" /> : icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A link that looks like a button: it leads somewhere. */
export function ButtonLink({
  look,
  small,
  icon,
  label,
  children,
  ...rest
}: Looks & { href: string; children?: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: its address comes with the rest
    <a {...rest} class={classOf(look, small, children)} aria-label={label} title={label}>
      {icon && <Icon name={icon} />}
      {children}
    </a>
  );
}

/** A button for an action without arguments. */
export function ActionButton({ action, ...rest }: ButtonProps & { action: Action<[]> }) {
  return <Button {...rest} busy={action.busy} onClick={() => action.run()} />;
}

function classOf(
  look: ButtonLook | undefined,
  small: boolean | undefined,
  children: ComponentChildren,
): string {
  const isBare = children === undefined || children === null;
  return ['button', look, small && 'small', isBare && 'icon-only'].filter(Boolean).join(' ');
}
