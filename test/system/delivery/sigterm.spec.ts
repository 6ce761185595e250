import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { databases } from '../../support/databases.js';
import { useDatabase, useReceiver } from '../../support/fixture.js';
import { newUser, notify } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { ENCRYPTION_KEYS, type ServiceProcess, startProcessOn } from '../support/process.js';

/** Keeps a webhook's queue in memory small, so that most of a few hundred triggers wait in the database. */
const env = { ENCRYPTION_KEYS, WEBHOOK_CONCURRENCY: '10', INSTANCE_TIMEOUT_SECONDS: '3', LOG_LEVEL: 'warn' };

describe.each(databases)('a process that ends, on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  const receiver = useReceiver('test');
  let service: ServiceProcess;
  let user: string;
  let accepted: Set<string>;
  /** The receiver answers once this resolves. */
  let answers: PromiseWithResolvers<void>;

  beforeEach(async () => {
    user = newUser();
    accepted = new Set();
    answers = Promise.withResolvers();
    receiver.respondWith({ after: answers.promise });
    service = await startProcessOn(database, env);
    for (const name of ['a', 'b'])
      await createWebhook(service, { user_id: user, url: `${receiver.url}/${name}` });
  });
  afterEach(() => answers.resolve());

  /** The webhook and notification of every request. */
  const got = () => receiver.requests.map(({ path, headers }) => `${path} ${headers['webhook-id']}`);
  const expected = () => [...accepted].flatMap((id) => [`/a ${id}`, `/b ${id}`]);
  const lost = () => {
    const arrived = new Set(got());
    return expected().filter((one) => !arrived.has(one));
  };

  /** Reports `count` notifications, 40 at a time. Only those answered with 202 count as accepted. */
  async function report(count: number): Promise<void> {
    let left = count;
    const worker = async () => {
      while (left-- > 0) {
        const answer = await notify(service, user).catch(() => null);
        if (answer?.status === 202) accepted.add(answer.body.id);
      }
    };
    await Promise.all(Array.from({ length: 40 }, worker));
  }

  it('loses no accepted notification when killed with SIGKILL', async () => {
    const reporting = report(400);
    await until(() => accepted.size > 240, { withinMs: 20_000 });
    await service.end('SIGKILL');
    await reporting;
    expect(lost().length).toBeGreaterThan(0);
    const before = receiver.requests.length;
    receiver.respondWith({});
    service = await startProcessOn(database, env);
    const readyAt = Date.now();
    await receiver.waitFor(before + 1, 10_000);
    if (kind.name === 'SQLite') expect(Date.now() - readyAt).toBeLessThan(5000);
    await until(() => lost().length === 0, { withinMs: 20_000, what: 'that nothing is lost' });
  });

  it('finishes its attempts, loses nothing and sends nothing twice on SIGTERM', async () => {
    const reporting = report(400);
    await until(() => accepted.size > 240, { withinMs: 20_000 });
    const ending = service.end('SIGTERM');
    await until(async () => (await service.readiness()) !== 200, { what: 'that it ends' });
    answers.resolve();
    const exit = await ending;
    await reporting;
    expect(exit).toEqual({ code: 0, signal: null });
    expect(lost().length).toBeGreaterThan(0);
    receiver.respondWith({});
    service = await startProcessOn(database, env);
    await until(() => lost().length === 0, { withinMs: 20_000, what: 'that nothing is lost' });
    expect(new Set(got()).size).toBe(got().length);
  });
});
