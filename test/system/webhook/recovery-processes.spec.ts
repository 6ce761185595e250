import { describe, expect, it } from '@jest/globals';
import { databases } from '../../support/databases.js';
import { useDatabase, useReceiver } from '../../support/fixture.js';
import { newUser, notify } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { ended, type Json, recover, recoveryWhen } from '../../webhook/recovery/scene.js';
import { production, startProcessOn } from '../support/process.js';

const MISSED = 200;

describe.each(databases)('a recovery by processes on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  const receiver = useReceiver();
  const env = { ...production, NODE_ENV: 'development', INSTANCE_TIMEOUT_SECONDS: '3' };
  const idsAt = (path: string) =>
    receiver.requests.flatMap((request: Json) =>
      request.path === path ? [request.headers['webhook-id'] as string] : [],
    );

  /** A webhook that missed some notifications. */
  async function missing(service: Parameters<typeof notify>[0], path: string): Promise<Json> {
    const user = newUser();
    for (let made = 0; made < MISSED; made += 50)
      await Promise.all(Array.from({ length: 50 }, () => notify(service, user)));
    return createWebhook(service, { user_id: user, url: receiver.url + path });
  }

  it('goes on after kill -9 and a restart', async () => {
    const service = await startProcessOn(database, env);
    const mine = await missing(service, '/restart');
    const { body } = await recover(service, mine.id, { missed: true, per_second: 60 });
    expect(body).toMatchObject({ total: MISSED });
    for (const part of [30, 70]) {
      await recoveryWhen(service, body.id, ({ done }) => done >= part);
      await service.end('SIGKILL');
      await service.start();
    }
    expect(await ended(service, body.id)).toMatchObject({ state: 'DONE', done: MISSED });
    await until(() => new Set(idsAt('/restart')).size === MISSED);
    // What was in flight at a kill is sent again.
    expect(idsAt('/restart').length).toBeLessThan(MISSED + 60);
  }, 90_000);

  if (kind.name === 'SQLite') return;

  it('is carried on by one of two, and by the other when that one dies', async () => {
    const [first, second] = [await startProcessOn(database, env), await startProcessOn(database, env)];
    const mine = await missing(first, '/two');
    const { body } = await recover(first, mine.id, { missed: true, per_second: 40 });
    await recoveryWhen(second, body.id, ({ done }) => done >= 80);
    expect(idsAt('/two')).toHaveLength(new Set(idsAt('/two')).size);
    // It began in the first process, which was told at once.
    await first.end('SIGKILL');
    expect(await ended(second, body.id)).toMatchObject({
      state: 'DONE',
      done: MISSED,
      total: MISSED,
    });
    await until(() => new Set(idsAt('/two')).size === MISSED);
    expect(idsAt('/two').length).toBeLessThan(MISSED + 30);
  }, 90_000);
});
