import { signal, useSignal } from '@preact/signals';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { useAllWebhooks } from '../domain/all-webhooks.js';
import { useGo } from '../parts/address.js';
import { type Command, commandsNow } from '../parts/commands.js';
import { Icon } from '../parts/icon.js';
import { isOutside } from '../parts/overlay/dialog.js';
import { placeToasts } from '../parts/overlay/toasts.js';
import { theme } from '../parts/theme.js';
import { placesNow } from './screens.js';

const isOpen = signal(false);

export const openPalette = (): void => {
  isOpen.value = true;
};

addEventListener('keydown', (event) => {
  if (event.key !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
  event.preventDefault();
  // Above a dialog it would lead away from what was begun there.
  if (isOpen.value || !document.querySelector('dialog[open]')) isOpen.value = !isOpen.value;
});

/** Ctrl K: everything that can be done or found, by its first letters. */
export const Palette = () => (isOpen.value ? <OpenPalette /> : null);

const AT_MOST = 12;

function OpenPalette() {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const typed = useSignal('');
  const at = useSignal(0);
  const commands = useAllCommands();
  const wanted = typed.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = commands
    .filter(({ label }) => wanted.every((word) => label.toLowerCase().includes(word)))
    .slice(0, AT_MOST);
  const close = () => {
    isOpen.value = false;
  };
  useLayoutEffect(() => {
    const focused = document.activeElement;
    const element = dialog.current;
    element?.showModal();
    placeToasts();
    return () => {
      element?.close();
      placeToasts();
      if (document.activeElement === document.body && focused instanceof HTMLElement) focused.focus();
    };
  }, []);
  const run = (command: Command | undefined) => {
    if (!command) return;
    dialog.current?.close();
    close();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) at.value = (at.value + step + found.length) % Math.max(1, found.length);
    else if (event.key === 'Enter') run(found[at.value]);
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: by keyboard it is Escape, which the browser turns into "cancel"
    <dialog
      ref={dialog}
      class="dialog palette"
      aria-label="Search and commands"
      onClose={close}
      onClick={(event) => event.target === event.currentTarget && isOutside(event) && close()}
    >
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-found`}
        aria-activedescendant={found.length > 0 ? `${id}-${at.value}` : undefined}
        aria-label="Search and commands"
        placeholder="Where to, or what to do?"
        autocomplete="off"
        spellcheck={false}
        value={typed.value}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
          at.value = 0;
        }}
        onKeyDown={onKeyDown}
      />
      {found.length === 0 && <p class="none">Nothing has these words in its name.</p>}
      <div role="listbox" id={`${id}-found`} aria-label="Found">
        {found.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys go to the field above
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field above
          <div
            key={command.label}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at.value}
            onMouseMove={() => (at.value = index)}
            onClick={() => run(command)}
          >
            <Icon name={command.icon ?? 'right'} />
            {command.label}
          </div>
        ))}
      </div>
    </dialog>
  );
}

/** What the screen offers first, then the places, then the webhooks by name. */
function useAllCommands(): Command[] {
  const go = useGo();
  const webhooks = useAllWebhooks();
  const places = placesNow.value.map(({ path, title, icon }) => ({
    label: title,
    icon,
    run: () => go(path),
  }));
  const found = (webhooks.rows ?? []).map(
    ({ id, name, url }): Command => ({
      label: `${name} – ${url}`,
      icon: 'webhook',
      run: () => go(`/webhooks/${id}`),
    }),
  );
  const dark = theme.value === 'dark';
  return [
    ...commandsNow(),
    ...places,
    {
      label: dark ? 'Light colours' : 'Dark colours',
      icon: dark ? 'sun' : 'moon',
      run: () => (theme.value = dark ? 'light' : 'dark'),
    },
    ...found,
  ];
}
