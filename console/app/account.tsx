import { useId, useRef } from 'preact/hooks';
import { useAction } from '../data/action.js';
import { place } from '../data/place.js';
import { signOut } from '../data/session.js';
import { me } from '../data/who.js';
import { Icon, type IconName } from '../parts/icon.js';
import { toastProblem } from '../parts/overlay/toasts.js';
import { type Theme, theme } from '../parts/theme.js';

const THEMES: readonly (readonly [Theme, string, IconName])[] = [
  ['system', 'As the system', 'screen'],
  ['light', 'Light', 'sun'],
  ['dark', 'Dark', 'moon'],
];

/** Who is signed in, and what is his own choice. */
export function Account({ onHelp }: { onHelp: () => void }) {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const leaving = useAction(signOut, undefined, toastProblem);
  const put = () => {
    const { left, top } = (button.current as HTMLElement).getBoundingClientRect();
    const { style } = menu.current as HTMLElement;
    style.left = `${left}px`;
    style.bottom = `${innerHeight - top + 6}px`;
    style.top = 'auto';
  };
  const close = () => menu.current?.hidePopover();
  return (
    <>
      <button
        ref={button}
        type="button"
        class="button plain"
        popovertarget={id}
        aria-label={`Account: ${me.value?.user_id}`}
        onClick={put}
      >
        <Icon name="person" />
        <span class="truncate">{me.value?.user_id}</span>
      </button>
      <div ref={menu} id={id} class="menu" popover="auto">
        {THEMES.map(([key, text, icon]) => (
          <button
            key={key}
            type="button"
            aria-pressed={theme.value === key}
            onClick={() => (theme.value = key)}
          >
            <Icon name={icon} />
            {text}
            {theme.value === key && <Icon name="check" size={12} />}
          </button>
        ))}
        <hr />
        <button
          type="button"
          onClick={() => {
            close();
            onHelp();
          }}
        >
          <Icon name="info" />
          Keys
        </button>
        {place.session && (
          <button type="button" onClick={() => leaving.run()}>
            <Icon name="leave" />
            Sign out
          </button>
        )}
      </div>
    </>
  );
}
