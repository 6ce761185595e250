import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Route, Router, useLocation } from 'preact-iso';
import { to } from '../data/place.js';
import { whose } from '../data/who.js';
import { Button } from '../parts/button.js';
import { useKeys } from '../parts/keyboard.js';
import { Page } from '../parts/page.js';
import { Empty } from '../parts/text/empty.js';
import { Brand } from './brand.js';
import { ConnectionBar } from './connection-bar.js';
import { KeysHelp } from './keys-help.js';
import { Navigation } from './navigation.js';
import { openPalette, Palette } from './palette.js';
import { SCREENS, START } from './screens.js';

/** What surrounds every screen. */
export function Shell() {
  const isMenuOpen = useSignal(false);
  const isHelpOpen = useSignal(false);
  const { path, route } = useLocation();
  useKeys([{ key: '?', does: 'Show the keys', run: () => (isHelpOpen.value = true) }]);
  useEffect(() => {
    isMenuOpen.value = false;
    if (path === (to('/').replace(/\/+$/, '') || '/')) route(to(START), true);
  }, [path]);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <div class="shell">
        <header class="top">
          <Brand />
          <span class="row">
            <Button look="plain" icon="search" label="Search and commands" onClick={openPalette} />
            <Button
              look="plain"
              icon={isMenuOpen.value ? 'cross' : 'menu'}
              label="Menu"
              aria-expanded={isMenuOpen.value}
              aria-controls="side"
              onClick={() => (isMenuOpen.value = !isMenuOpen.value)}
            />
          </span>
        </header>
        <aside class="side" id="side" aria-label="Menu" data-open={isMenuOpen.value || undefined}>
          <Brand />
          <Navigation onHelp={() => (isHelpOpen.value = true)} />
        </aside>
        <main class="main" id="main" tabIndex={-1}>
          <ConnectionBar />
          {/* Whoever an admin looks at next gets screens of his own. */}
          <Router key={whose.value ?? ''}>
            {SCREENS.map(({ path: at, component }) => (
              <Route key={at} path={to(at)} component={component} />
            ))}
            <Route default component={NotFound} />
          </Router>
        </main>
      </div>
      <Palette />
      {isHelpOpen.value && <KeysHelp onClose={() => (isHelpOpen.value = false)} />}
    </>
  );
}

function NotFound() {
  if (location.pathname.replace(/\/+$/, '') === to('')) return null;
  return (
    <Page title="Not found">
      <Empty title="There is nothing at this address">
        <a href={to(START)}>To the overview</a>
      </Empty>
    </Page>
  );
}
