import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { TypeOrmModule } from '@nestjs/typeorm';
import { InstanceRepository } from '../../../src/engine/instance/instance.repository.js';
import { OrderingRepository } from '../../../src/engine/ordering/ordering.repository.js';
import { IdempotencyRepository } from '../../../src/idempotency/idempotency.repository.js';
import { WebhookModule } from '../../../src/index.js';
import { Jobs } from '../../../src/jobs/jobs.js';
import { databases, type TestDatabase } from '../../support/databases.js';
import { HOST_KEYS, hostDataSource } from '../../support/host.js';
import { until } from '../../support/until.js';

/** More than any job lets pass between its first steps. */
const A_WHILE_MS = 1500;
const aWhile = () => new Promise((resolve) => setTimeout(resolve, A_WHILE_MS));

describe.each(databases)('jobs in a host on $name', (kind) => {
  let made: TestDatabase[];
  let apps: INestApplication[];

  beforeEach(() => {
    made = [];
    apps = [];
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    for (const app of apps) await app.close();
    for (const database of made) await database.drop();
  });

  /** An application that has not started yet. */
  async function host(role: 'both' | 'api' = 'both'): Promise<INestApplication> {
    const database = await kind.create();
    made.push(database);
    class Host {}
    const webhooks = WebhookModule.forRoot({ role, routes: false, encryptionKeys: HOST_KEYS });
    const imports = [
      EventEmitterModule.forRoot(),
      TypeOrmModule.forRoot(hostDataSource(database.url)),
      webhooks,
    ];
    const app = await NestFactory.create({ module: Host, imports }, { logger: false, abortOnError: false });
    apps.push(app);
    return app;
  }

  /** What two of the jobs do in their steps: one at once, one after a while. */
  function stepsOf(app: INestApplication) {
    const keep = jest.spyOn(app.get(OrderingRepository, { strict: false }), 'processMarks');
    const purge = jest.spyOn(app.get(IdempotencyRepository, { strict: false }), 'purgeSome');
    return { keep, purge, count: () => keep.mock.calls.length + purge.mock.calls.length };
  }

  it('take no step before the start, and none if it is closed instead', async () => {
    const app = await host();
    const steps = stepsOf(app);
    await aWhile();
    await app.close();
    app.get(Jobs).start();
    await aWhile();
    expect(steps.count()).toBe(0);
  });

  it('take no step in an application that could not start', async () => {
    const app = await host();
    const steps = stepsOf(app);
    const failed = new Error('No room in the list');
    for (const name of ['register', 'replace'] as const)
      jest.spyOn(app.get(InstanceRepository, { strict: false }), name).mockRejectedValue(failed);
    await expect(app.init()).rejects.toBe(failed);
    await aWhile();
    await app.close();
    expect(steps.count()).toBe(0);
  });

  it('take no step in a process that sends nothing', async () => {
    const app = await host('api');
    const steps = stepsOf(app);
    await app.init();
    await aWhile();
    expect(steps.count()).toBe(0);
  });

  it('of one application go on when another one in the process ends', async () => {
    const [ending, staying] = [await host(), await host()];
    const [ended, stayed] = [stepsOf(ending), stepsOf(staying)];
    await Promise.all([ending.init(), staying.init()]);
    await until(() => ended.keep.mock.calls.length > 0 && stayed.purge.mock.calls.length > 0);
    await ending.close();
    const counts = [ended.count(), stayed.keep.mock.calls.length];
    await until(() => stayed.keep.mock.calls.length > (counts[1] as number));
    expect(ended.count()).toBe(counts[0]);
  });

  it('do not keep it from ending, whatever a step does', async () => {
    const app = await host();
    const steps = stepsOf(app);
    steps.keep.mockImplementation(() => new Promise(() => {}));
    steps.purge.mockImplementation(() => {
      throw new Error('out of order');
    });
    await app.init();
    await until(() => steps.keep.mock.calls.length > 0 && steps.purge.mock.calls.length > 0);
    const begin = performance.now();
    await app.close();
    expect(performance.now() - begin).toBeLessThan(5000);
  });
});
