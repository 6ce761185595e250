import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import type { BrowserContext } from 'puppeteer-core';
import { ADMIN_KEY } from '../../support/call.js';
import { databases, type TestDatabaseKind } from '../../support/databases.js';
import { useDatabase } from '../../support/fixture.js';
import type { ServiceProcess } from '../../support/process.js';
import { useBrowser } from './browser.js';
import { Front } from './front.js';
import { Screen } from './screen.js';

/** The built service on SQLite, with the console in a browser. */
export interface ConsoleFixture {
  /** The service itself, to prepare and to look at what the console did. */
  readonly service: ServiceProcess;
  /** What is between the browser and the service. */
  readonly front: Front;
  /** Opens a screen, signed in with `key`; null for nobody. Each call is a browser of its own, with its own cookies. */
  open(path: string, key?: string | null): Promise<Screen>;
  /** An API key of a user. */
  keyFor(userId: string, ...scopes: string[]): Promise<string>;
}

/** Call it in a `describe` block. After each test it is checked that no page broke a rule of all pages. */
export function useConsole(env: Record<string, string> = {}): ConsoleFixture {
  const database = useDatabase(databases[0] as TestDatabaseKind);
  const chromium = useBrowser();
  let service: ServiceProcess | undefined;
  let front: Front | undefined;
  const screens: Screen[] = [];
  const contexts: BrowserContext[] = [];

  beforeAll(async () => {
    service = await database.startProcess(env);
    front = new Front(service.url);
    await front.listen();
  });
  afterEach(async () => {
    const broken = screens.splice(0).flatMap(({ broken }) => broken);
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    expect(broken).toEqual([]);
  });
  afterAll(() => front?.close());

  const fixture: ConsoleFixture = {
    get service() {
      return service as ServiceProcess;
    },
    get front() {
      return front as Front;
    },
    async open(path, key = ADMIN_KEY) {
      const context = await chromium.browser.createBrowserContext();
      contexts.push(context);
      const screen = await Screen.in(context, `${fixture.front.url}/console`);
      screens.push(screen);
      if (key !== null) {
        // As the link of the first start does it.
        await screen.page.goto(`${screen.base}/#key=${key}`);
        await screen.page.waitForSelector('.shell');
      }
      await screen.page.goto(screen.base + path);
      return screen;
    },
    async keyFor(userId, ...scopes) {
      const { body } = await fixture.service.call('POST', '/v1/api-key', { user_id: userId, scopes });
      return body.key;
    },
  };
  return fixture;
}
