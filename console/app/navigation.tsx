import { useLocation } from 'preact-iso';
import { to } from '../data/place.js';
import { isAdmin } from '../data/who.js';
import { Icon } from '../parts/icon.js';
import { Account } from './account.js';
import { openPalette } from './palette.js';
import { type Place, placesNow } from './screens.js';
import { Whose } from './whose.js';

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function Navigation({ onHelp }: { onHelp: () => void }) {
  const places = placesNow.value;
  return (
    <>
      <button type="button" class="button palette-button" onClick={openPalette}>
        <Icon name="search" size={14} />
        Search
        <kbd>{isMac ? '⌘' : 'Ctrl'} K</kbd>
      </button>
      <nav class="nav" aria-label="Screens">
        <Links places={places.filter(({ admin }) => !admin)} />
        {places.some(({ admin }) => admin) && <h2>Administration</h2>}
        <Links places={places.filter(({ admin }) => admin)} />
      </nav>
      <div class="side-end">
        {isAdmin.value && <Whose />}
        <Account onHelp={onHelp} />
      </div>
    </>
  );
}

function Links({ places }: { places: readonly Place[] }) {
  const { path } = useLocation();
  return (
    <>
      {places.map(({ path: at, title, icon }) => (
        <a key={at} href={to(at)} aria-current={`${path}/`.startsWith(`${to(at)}/`) ? 'page' : undefined}>
          <Icon name={icon} />
          {title}
        </a>
      ))}
    </>
  );
}
