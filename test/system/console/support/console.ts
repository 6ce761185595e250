import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import type { BrowserContext } from 'puppeteer-core';
import { cookieOf, logIn } from '../../../console/log-in.js';
import { ADMIN_KEY, type Answer, type CallOptions, call } from '../../../support/call.js';
import { SQLITE } from '../../../support/databases.js';
import { useDatabase } from '../../../support/fixture.js';
import { FaultyProxy } from '../../../support/proxy.js';
import { newUser } from '../../../support/scene.js';
import { until } from '../../../support/until.js';
import { startProcessOn } from '../../support/process.js';
import { useBrowser } from '../../support/shared/browser.js';
import { shared } from '../../support/shared/shared.js';
import { Person } from './person.js';
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
  readonly network: FaultyProxy;
  /** Opens a screen, signed in with `key`; null for nobody. Each call is a browser of its own, with its own cookies. */
  open(path: string, key?: string | null): Promise<Screen>;
  /** A new user whose key may read and write. */
  user(): Promise<Person>;
  /** A new user whose key may only read. */
  reader(): Promise<Person>;
}

/** The service that all specs share: each test has users of its own. After each it is checked that no page broke a rule. */
export const useConsole = (): ConsoleFixture => consoleOf(() => shared('service', SETTINGS));

/** A service of the block's own, for what counts or changes all that is there. */
export function useOwnConsole(): ConsoleFixture {
  const database = useDatabase(SQLITE);
  return consoleOf(async () => (await startProcessOn(database, SETTINGS)).url);
}

/** A service that starts for the first time. `printed` is what it shows: its admin key, and a code that logs in once. */
export function useFirstStart(): ConsoleFixture & { readonly printed: { key: string; code: string } } {
  const database = useDatabase(SQLITE);
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
  let through = '';
  let network: FaultyProxy | undefined;
  const screens: Screen[] = [];
  const contexts: BrowserContext[] = [];
  const calling = (base: () => string): ConsoleFixture['service'] => ({
    call: (method, path, body, options) => call(base() + path, method, body, options),
  });

  beforeAll(async () => {
    url = await start();
    const made = await FaultyProxy.before(url);
    network = made.proxy;
    through = new URL(made.url).origin;
    const { status, text } = await fixture.service.call('GET', '/console');
    if (status !== 200) throw new Error(text);
  });
  afterEach(async () => {
    const broken = screens.splice(0).flatMap(({ broken }) => broken);
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    expect(broken).toEqual([]);
  });
  afterAll(() => network?.close());

  /** Without the page, which would take as long again. */
  const signIn = async (context: BrowserContext, key: string) => {
    const [name = '', value = ''] = cookieOf(
      await logIn(
        calling(() => through),
        key,
      ),
    ).split(/=(.*)/s);
    await context.setCookie({ name, value, domain: '127.0.0.1', httpOnly: true, sameSite: 'Strict' });
  };
  const person = async (...scopes: string[]) => {
    const id = newUser();
    const { body } = await fixture.service.call('POST', '/v1/api-key', { user_id: id, scopes });
    return new Person(fixture, id, body.key);
  };

  const fixture: ConsoleFixture = {
    service: calling(() => url),
    get network() {
      return network as FaultyProxy;
    },
    async open(path, key = ADMIN_KEY) {
      const context = await chromium.newContext();
      contexts.push(context);
      if (key !== null) await signIn(context, key);
      const screen = await Screen.in(context, `${through}/console`);
      screens.push(screen);
      await screen.page.goto(screen.base + path);
      return screen;
    },
    user: () => person('webhooks:read', 'webhooks:write'),
    reader: () => person('webhooks:read'),
  };
  return fixture;
}
