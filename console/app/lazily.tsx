import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { lazy } from 'preact-iso';
import { call } from '../data/call.js';
import { outage } from '../data/connection.js';
import { Button } from '../parts/button.js';
import { Page } from '../parts/page.js';
import { Box } from '../parts/text/boxes.js';

/** Somebody has begun to look; the rest of the application is not in his way any more. */
const IDLE_MS = 1_000;

type Loaded = { default: ComponentType };

/** A screen that is loaded when it is first shown, or while there is time: then the next one is there at once. */
export function lazily(load: () => Promise<Loaded>): ComponentType {
  const screen = lazy(() => load().catch((): Loaded => ({ default: NotLoaded })));
  setTimeout(() => load().catch(() => {}), IDLE_MS);
  return screen as ComponentType;
}

/** The service is away, or it has files of a newer version. */
function NotLoaded() {
  const wasAway = useRef(false);
  useEffect(() => {
    call('GET', '/me');
  }, []);
  const isAway = outage.value !== null;
  useEffect(() => {
    if (wasAway.current && !isAway) location.reload();
    wasAway.current = isAway;
  }, [isAway]);
  return (
    <Page title="Not loaded" narrow>
      <Box tone="bad" title="This screen could not be loaded." alert>
        <p>The service may have been renewed since this page was opened.</p>
        <div>
          <Button onClick={() => location.reload()}>Load the page anew</Button>
        </div>
      </Box>
    </Page>
  );
}
