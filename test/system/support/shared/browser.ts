import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe } from '@jest/globals';
import puppeteer, { type Browser, type BrowserContext } from 'puppeteer-core';
import { leaveOut } from '../../../support/left-out.js';
import { shared } from './shared.js';

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

const hasChromium = existsSync(CHROMIUM);
if (!hasChromium) leaveOut(`all tests in a browser. There is no Chromium at ${CHROMIUM} (CHROMIUM_PATH).`);

/** A `describe` whose tests need a browser. */
export const describeInBrowser = hasChromium ? describe : describe.skip;

/** The browser that all specs share. What one opens there is a context of its own. */
export function useBrowser(): { newContext(): Promise<BrowserContext> } {
  let browser: Browser | undefined;
  const contexts: BrowserContext[] = [];
  beforeAll(async () => {
    browser = await puppeteer.connect({ browserWSEndpoint: await shared('browser'), defaultViewport: null });
  });
  afterAll(async () => {
    await Promise.all(contexts.map((context) => context.close().catch(() => {})));
    await browser?.disconnect();
  });
  return {
    async newContext() {
      if (!browser) throw new Error('The browser is there only in hooks and tests');
      const context = await browser.createBrowserContext();
      contexts.push(context);
      return context;
    },
  };
}
