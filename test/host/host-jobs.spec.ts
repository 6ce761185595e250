import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { NestFactory } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { InstanceRepository } from '../../src/engine/instance/instance.repository.js';
import { OrderingRepository } from '../../src/engine/ordering/ordering.repository.js';
import { IdempotencyRepository } from '../../src/idempotency/idempotency.repository.js';
import { Jobs } from '../../src/jobs/jobs.js';
import { TestClock } from '../../src/module/testing/test-clock.js';
import { SQLITE } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';
import { hostDataSource } from '../support/host.js';
import { until } from '../support/until.js';
import { emitter, webhookModule } from './application.js';

describe('jobs in a host', () => {
  const places = [useDatabase(SQLITE, 'test', 'migrated'), useDatabase(SQLITE, 'test', 'migrated')] as const;
  let clock: TestClock;

  beforeEach(() => {
    clock = new TestClock();
  });
  afterEach(() => void jest.restoreAllMocks());

  /** An application that has not started yet, and what two of its jobs do: one at once, one after a while. */
  async function host(role: 'both' | 'api' = 'both', database = places[0]) {
    const source = TypeOrmModule.forRoot(hostDataSource(database.url));
    const imports = [emitter(), source, webhookModule({ role, routes: false, clock })];
    const module = { module: class Host {}, imports };
    const app = await NestFactory.create(module, { logger: false, abortOnError: false });
    database.defer(() => app.close());
    const keep = jest.spyOn(app.get(OrderingRepository, { strict: false }), 'processMarks');
    const purge = jest.spyOn(app.get(IdempotencyRepository, { strict: false }), 'purgeSome');
    return { app, keep, purge, steps: () => keep.mock.calls.length + purge.mock.calls.length };
  }
  type Host = Awaited<ReturnType<typeof host>>;

  /** Lets a minute pass, and all steps that are due then begin. */
  async function aMinute(): Promise<void> {
    clock.advance(60_000);
    await new Promise((resolve) => setImmediate(resolve));
  }

  it.each<[string, 'both' | 'api', (host: Host) => Promise<unknown>]>([
    ['before the start', 'both', async () => {}],
    ['if it is closed instead', 'both', ({ app }) => app.close().then(() => app.get(Jobs).start())],
    [
      'in one that could not start',
      'both',
      async ({ app }) => {
        const failed = new Error('No room in the list');
        for (const name of ['register', 'replace'] as const)
          jest.spyOn(app.get(InstanceRepository, { strict: false }), name).mockRejectedValue(failed);
        await expect(app.init()).rejects.toBe(failed);
      },
    ],
    ['in one that sends nothing', 'api', ({ app }) => app.init()],
  ])('take no step %s', async (_when, role, begin) => {
    const made = await host(role);
    await begin(made);
    await aMinute();
    expect(made.steps()).toBe(0);
  });

  it('of one application go on when another one in the process ends', async () => {
    const [ending, staying] = [await host(), await host('both', places[1])];
    await Promise.all([ending.app.init(), staying.app.init()]);
    await aMinute();
    for (const { keep, purge } of [ending, staying]) {
      expect(keep).toHaveBeenCalled();
      expect(purge).toHaveBeenCalled();
    }
    await ending.app.close();
    const [ended, stayed] = [ending.steps(), staying.keep.mock.calls.length];
    await until(() => aMinute().then(() => staying.keep.mock.calls.length > stayed));
    expect(ending.steps()).toBe(ended);
  });
});
