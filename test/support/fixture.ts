import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { TestClock } from '../../src/module/testing/test-clock.js';
import { TokenEndpoint } from './authentication/token-endpoint.js';
import { useClock } from './clock.js';
import type { TestDatabase, TestDatabaseKind } from './databases.js';
import { Receiver, type ReceiverOptions } from './receiver.js';
import type { TestService } from './service.js';

// Call each function in a `describe` block, where it registers its hooks. The members of the returned object are
// available once hooks and tests run.

/** `block`: all tests of the `describe` block share one; `test`: each test has its own. */
export type Lifetime = 'block' | 'test';

/** Environment variables, or a function that returns them if they depend on earlier hooks. */
export type Env = Record<string, string> | (() => Record<string, string>);

/** A database and the services that tests start on it. */
export interface DatabaseFixture {
  readonly url: string;
  /** Starts the service in this process. */
  start(env?: Record<string, string>): Promise<TestService>;
  /**
   * Runs `step` before the database is dropped, in reverse order: after the test when called in a test or a
   * `beforeEach` hook, after the block when called in a `beforeAll` hook. {@link start} uses it.
   */
  defer(step: () => unknown): void;
}

/** A service with its own database. */
export interface ServiceFixture extends TestService {
  readonly database: DatabaseFixture;
}

const BEFORE = { block: beforeAll, test: beforeEach };

/** An empty database, or one with the service's tables. */
export function useDatabase(
  kind: TestDatabaseKind,
  lifetime: Lifetime = 'block',
  content: 'empty' | 'migrated' = 'empty',
): DatabaseFixture {
  let database: TestDatabase | undefined;
  const steps: Record<Lifetime, (() => unknown)[]> = { block: [], test: [] };
  let current: Lifetime = 'block';

  async function end(which: Lifetime): Promise<void> {
    for (const step of steps[which].splice(0).reverse()) await step();
  }
  async function create(): Promise<void> {
    const created = await (content === 'empty' ? kind.create() : kind.createMigrated());
    database = created;
    fixture.defer(() => created.drop());
  }
  const fixture: DatabaseFixture = {
    get url() {
      return there(database, 'database').url;
    },
    async start(env) {
      // Loaded only here: specs that look at a process from outside need nothing of the service's code.
      const { startService } = await import('./service.js');
      const service = await startService(fixture.url, env);
      fixture.defer(() => service.stop());
      return service;
    },
    defer: (step) => steps[current].push(step),
  };
  beforeEach(() => {
    current = 'test';
  });
  BEFORE[lifetime](create);
  afterEach(async () => {
    current = 'block';
    await end('test');
  });
  afterAll(() => end('block'));
  return fixture;
}

/** A service on a new database. */
export function useService(
  kind: TestDatabaseKind,
  env: Env = {},
  lifetime: Lifetime = 'block',
): ServiceFixture {
  const database = useDatabase(kind, lifetime, 'migrated');
  return serviceOn(database, env, lifetime);
}

/** Services that share a new database: one on SQLite, which allows a single process, and two on MariaDB. */
export function useSharing(kind: TestDatabaseKind, env: Env = {}): [ServiceFixture, ...ServiceFixture[]] {
  const database = useDatabase(kind, 'block', 'migrated');
  const first = serviceOn(database, env, 'block');
  return kind.name === 'SQLite' ? [first] : [first, serviceOn(database, env, 'block')];
}

/** The clock of every service that the block starts from now on. It stands still until it is advanced. */
export function useTestClock(clock = new TestClock()): TestClock {
  let restore: (() => void) | undefined;
  beforeAll(() => {
    restore = useClock(clock);
  });
  afterAll(() => restore?.());
  return clock;
}

/** A receiver. A receiver shared by the block keeps its requests and answers between tests. */
export function useReceiver(lifetime: Lifetime = 'block', options: ReceiverOptions = {}): Receiver {
  return listening(new Receiver(options), lifetime);
}

/** A token endpoint for each test. */
export const useTokenEndpoint = (): TokenEndpoint => listening(new TokenEndpoint({}), 'test');

/** A server that begins anew for each test, or for the block. */
export function listening<S extends { listen(): Promise<void>; close(): Promise<void> }>(
  server: S,
  lifetime: Lifetime,
): S {
  BEFORE[lifetime](() => server.listen());
  const after = { block: afterAll, test: afterEach };
  after[lifetime](() => server.close());
  return server;
}

function serviceOn(database: DatabaseFixture, env: Env, lifetime: Lifetime): ServiceFixture {
  let service: TestService | undefined;
  BEFORE[lifetime](async () => {
    service = await database.start(typeof env === 'function' ? env() : env);
  });
  const running = () => there(service, 'service');
  return {
    database,
    get app() {
      return running().app;
    },
    get url() {
      return running().url;
    },
    call: (...call) => running().call(...call),
    keyFor: (...key) => running().keyFor(...key),
    get: (token) => running().get(token),
    query: (...query) => running().query(...query),
    stop: () => running().stop(),
  };
}

function there<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`The ${name} is there only in hooks and tests`);
  return value;
}
