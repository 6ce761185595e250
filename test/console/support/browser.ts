import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe } from '@jest/globals';
import puppeteer, { type Browser } from 'puppeteer-core';

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'];

const hasChromium = existsSync(CHROMIUM);
if (!hasChromium) {
  process.stderr.write(`There is no Chromium at ${CHROMIUM}: the tests of the console are LEFT OUT.\n`);
}

/** A `describe` whose tests need a browser. */
export const describeInBrowser = hasChromium ? describe : describe.skip;

/** One browser for the block. */
export function useBrowser(): { readonly browser: Browser } {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await puppeteer.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
  });
  afterAll(() => browser?.close());
  return {
    get browser() {
      if (!browser) throw new Error('The browser is there only in hooks and tests');
      return browser;
    },
  };
}
