import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import type { BrowserContext } from 'puppeteer-core';
import { cookieOf, logIn } from '../../../console/log-in.js';
import { ADMIN_KEY, type Answer, type CallOptions, call } from '../../../support/call.js';
import { databases, type TestDatabaseKind } from '../../../support/databases.js';
import { useDatabase } from '../../../support/fixture.js';
import { until } from '../../../support/until.js';
import { startProcessOn } from '../../support/process.js';
import { useBrowser } from '../../support/shared/browser.js';
import { shared } from '../../support/shared/shared.js';
import { Front } from './front.js';
import { Screen } from './screen.js';

/** What does not end within a test is not tried again by itself. */
const SETTINGS = { BOOTSTRAP_API_KEY: ADMIN_KEY, RETRY_SCHEDULE_SECONDS: '600' };

/** The built service on SQLite, with the console in a browser. */
export interface ConsoleFixture {
  /** The service itself, to prepare and to look at what the console did. */
  readonly service: {
    call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  };
  /** What is between the browser and the service. */
  readonly front: Front;
  /** Opens a screen, signed in with `key`; null for nobody. Each call is a browser of its own, with its own cookies. */
  open(path: string, key?: string | null): Promise<Screen>;
  /** An API key of a user. */
  keyFor(userId: string, ...scopes: string[]): Promise<string>;
}

/** The service that all specs share: each test has users of its own. After each it is checked that no page broke a rule. */
export const useConsole = (): ConsoleFixture => consoleOf(() => shared('service', SETTINGS));

/** A service of the block's own, for what counts or changes all that is there. */
export function useOwnConsole(): ConsoleFixture {
  const database = useDatabase(databases[0] as TestDatabaseKind);
  return consoleOf(async () => (await startProcessOn(database, SETTINGS)).url);
}

/** A service that starts for the first time. `printed` is what it shows: its admin key, and a code that logs in once. */
export function useFirstStart(): ConsoleFixture & { readonly printed: { key: string; code: string } } {
  const database = useDatabase(databases[0] as TestDatabaseKind);
  const printed = { key: '', code: '' };
  const fixture = consoleOf(async () => {
    const service = await startProcessOn(database, { BOOTSTRAP_API_KEY: '' });
    await until(() => service.output.includes('#code='));
    [, printed.key = ''] = /(whk_[\w-]{43})/.exec(service.output) ?? [];
    [, printed.code = ''] = /#code=([\w-]{43})/.exec(service.output) ?? [];
    return service.url;
  });
  return Object.defineProperty(fixture as ReturnType<typeof useFirstStart>, 'printed', { value: printed });
}

function consoleOf(start: () => Promise<string>): ConsoleFixture {
  const chromium = useBrowser();
  let url = '';
  let front: Front | undefined;
  const screens: Screen[] = [];
  const contexts: BrowserContext[] = [];

  beforeAll(async () => {
    url = await start();
    front = new Front(url);
    await front.listen();
    const { status, text } = await fixture.service.call('GET', '/console');
    if (status !== 200) throw new Error(text);
  });
  afterEach(async () => {
    const broken = screens.splice(0).flatMap(({ broken }) => broken);
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    expect(broken).toEqual([]);
  });
  afterAll(() => front?.close());

  /** Without the page, which would take as long again. */
  const signIn = async (context: BrowserContext, key: string) => {
    const through = fixture.front.url;
    const service = {
      call: (method: string, path: string, body?: unknown, options?: CallOptions) =>
        call(through + path, method, body, options),
    };
    const [name = '', value = ''] = cookieOf(await logIn(service, key)).split(/=(.*)/s);
    await context.setCookie({ name, value, domain: '127.0.0.1', httpOnly: true, sameSite: 'Strict' });
  };

  const fixture: ConsoleFixture = {
    service: { call: (method, path, body, options) => call(url + path, method, body, options) },
    get front() {
      return front as Front;
    },
    async open(path, key = ADMIN_KEY) {
      const context = await chromium.newContext();
      contexts.push(context);
      if (key !== null) await signIn(context, key);
      const screen = await Screen.in(context, `${fixture.front.url}/console`);
      screens.push(screen);
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
