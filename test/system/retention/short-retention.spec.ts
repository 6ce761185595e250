import { afterEach, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { Jobs } from '../../../src/jobs/jobs.js';
import { RetentionPass } from '../../../src/retention/retention-pass.js';
import { Database } from '../../../src/store/database.js';
import { DAY_MS, left, store } from '../../retention/stored.js';
import { databases } from '../../support/databases.js';
import { useDatabase, useReceiver } from '../../support/fixture.js';
import { finished, newUser, notify, trigger } from '../../support/scene.js';
import type { TestService } from '../../support/service.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { ENCRYPTION_KEYS, startProcessOn } from '../support/process.js';

const days = (ms: number) => (ms / DAY_MS).toFixed(12);
const RETRIED = 60;
const env = { RETRY_SCHEDULE_SECONDS: '0.1', RETENTION_PAYLOAD_DAYS: days(500), RETENTION_DAYS: days(1500) };

describe.each(databases)('a short retention on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  const receiver = useReceiver('test');
  let answers = Promise.withResolvers<void>();
  afterEach(() => {
    answers.resolve();
    answers = Promise.withResolvers();
  });

  /** Delivers a notification to a new webhook of a new user. */
  async function subscribed(service: TestService): Promise<string> {
    const user = newUser();
    await createWebhook(service, { user_id: user, url: receiver.url });
    return user;
  }

  it('removes everything that was delivered by itself, and nothing that is being delivered', async () => {
    const service = await database.start(env);
    const user = await subscribed(service);
    const done = await Promise.all(Array.from({ length: 20 }, () => trigger(service, user)));
    await Promise.all(done.map((id) => finished(service, id).catch(() => undefined)));
    await until(async () => (await left(service)).triggers.length === 0, { what: 'that all is gone' });
    receiver.respondWith({ after: answers.promise });
    const open = await trigger(service, user);
    await receiver.waitFor(21);
    await until(async () => (await left(service)).overdue.length > 0);
    expect(await left(service)).toMatchObject({ triggers: [open], whole: [expect.any(String)] });
    answers.resolve();
    await until(async () => (await left(service)).notifications.length === 0, { what: 'that it is gone' });
    expect(receiver.requests).toHaveLength(21);
    expect(await left(service)).toEqual({
      notifications: [],
      whole: [],
      triggers: [],
      attempts: [],
      wholeAttempts: [],
      bareAttempts: [],
      overdue: [],
    });
  });

  it('removes request heads that no attempt names any more, and never one that is in use', async () => {
    const service = await database.start(env);
    const user = await subscribed(service);
    const heads = () => service.app.get(DataSource).query('SELECT id FROM webhook_request_head');
    await finished(service, await trigger(service, user)).catch(() => undefined);
    expect(await heads()).toHaveLength(1);
    receiver.respondWith({ after: answers.promise });
    await trigger(service, user);
    await receiver.waitFor(2);
    const end = Date.now() + 5000;
    await until(() => Date.now() > end);
    expect(await heads()).toHaveLength(1);
    answers.resolve();
    await until(async () => (await heads()).length === 0, {
      withinMs: 20_000,
      what: 'that the head is gone',
    });
  }, 40_000);

  it('keeps for ever what has no retention', async () => {
    const service = await database.start({ RETENTION_PAYLOAD_DAYS: '0', RETENTION_DAYS: '0' });
    await store(service, [{ ageMs: 1000 * DAY_MS, statuses: ['SUCCEEDED'] }]);
    const end = Date.now() + 1500;
    await until(() => Date.now() > end);
    expect(await left(service)).toMatchObject({
      whole: [expect.any(String)],
      wholeAttempts: [expect.any(String)],
    });
  });

  it('is not for a process that only accepts', async () => {
    const service = await database.start({ ...env, ROLE: 'api' });
    await store(service, [{ ageMs: DAY_MS, statuses: ['SUCCEEDED'] }]);
    const end = Date.now() + 2000;
    await until(() => Date.now() > end);
    expect(await left(service)).toMatchObject({ whole: [expect.any(String)] });
  });

  it('is the work of one of several processes, and of another one when that stops', async () => {
    if (kind.name === 'SQLite') return;
    const services = [await database.start(env), await database.start(env)];
    const [first] = services as [TestService];
    const holders = async () => {
      const rows = await first.app
        .get(DataSource)
        .query(`SELECT DISTINCT held_by FROM webhook_task WHERE name LIKE 'retention-%'`);
      return rows.map(({ held_by }: { held_by: string }) => held_by);
    };
    await store(
      first,
      Array.from({ length: 500 }, () => ({ ageMs: DAY_MS, statuses: ['SUCCEEDED' as const] })),
    );
    await until(async () => (await left(first)).triggers.length === 0);
    expect(await holders()).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    const before = await holders();
    await first.stop();
    const other = services[1] as TestService;
    await store(other, [{ ageMs: DAY_MS, statuses: ['SUCCEEDED'] }]);
    await until(async () => (await left(other)).triggers.length === 0);
    const [row] = await other.app.get(DataSource).query(`SELECT held_by FROM webhook_task`);
    expect([before, row.held_by]).toEqual([before, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  });

  it('goes on after kill -9, and leaves nothing and no half of anything behind', async () => {
    const kept = await database.start({ ROLE: 'api', ENCRYPTION_KEYS });
    const many = Array.from({ length: 600 }, (_, n) => ({
      ageMs: DAY_MS + n,
      statuses: (n % 10 === 0 ? ['SUCCEEDED', 'PENDING'] : ['SUCCEEDED', 'FAILED']) as (
        | 'SUCCEEDED'
        | 'PENDING'
      )[],
    }));
    const stored = await store(kept, many);
    if (kind.name === 'SQLite') await kept.stop();
    for (let round = 0; round < 3; round++) {
      const service = await startProcessOn(database, {
        ...env,
        ENCRYPTION_KEYS,
        INSTANCE_TIMEOUT_SECONDS: '3',
      });
      const end = Date.now() + 1100 + round * 150;
      await until(() => Date.now() > end);
      await service.end('SIGKILL');
    }
    const last = await database.start({ ...env, ENCRYPTION_KEYS, INSTANCE_TIMEOUT_SECONDS: '3' });
    const pending = stored.filter((_, n) => n % 10 === 0);
    await until(async () => (await left(last)).notifications.length === pending.length, { withinMs: 30_000 });
    const found = await left(last);
    expect(found.whole).toEqual(pending.map(({ id }) => id).sort());
    expect(found.triggers).toEqual(pending.flatMap(({ triggers }) => triggers).sort());
    expect(found.wholeAttempts).toEqual(found.triggers);
  }, 60_000);

  it('spares what is retried while it is being removed', async () => {
    const service = await database.start({ RETENTION_DAYS: '2', RETENTION_PAYLOAD_DAYS: '0' });
    await service.app.get(Jobs).quiet();
    const userId = newUser();
    const { id: webhookId } = await createWebhook(service, { user_id: userId, url: receiver.url });
    let retrying = true;
    const passing = (async () => {
      while (retrying) for await (const _ of service.app.get(RetentionPass, { strict: false }).steps());
    })();
    const answers = new Map<string, number>();
    const answered = (...statuses: number[]) =>
      [...answers.keys()].filter((id) => statuses.includes(answers.get(id) as number));
    // How long before they are of age they are stored, and so retried: more after one that came too late, else less.
    let earlyMs = 50;
    await until(
      async () => {
        const given = { statuses: ['FAILED' as const], userId, webhookId };
        const [{ id, triggers }] = (await store(service, [{ ageMs: 2 * DAY_MS - earlyMs, ...given }])) as [
          { id: string; triggers: string[] },
        ];
        const { status } = await service.call('POST', '/v1/webhook/trigger/retry', { id: triggers[0] });
        answers.set(id, status);
        earlyMs *= status === 202 ? 0.8 : 1.25;
        return answers.size >= RETRIED && answered(202).length > 0 && answered(404, 409).length > 0;
      },
      { withinMs: 50_000 },
    );
    retrying = false;
    await passing;
    const accepted = answered(202);
    // 409 is a retry that found the trigger and then found it gone.
    expect(answered(202, 404, 409)).toHaveLength(answers.size);
    // One that was delivered is of age at once, and may be gone before the call reads it for its answer.
    const sent = () => receiver.requests.map(({ headers }) => headers['webhook-id']);
    // Each that was accepted was sent, with its body.
    await receiver.waitFor(() => accepted.every((id) => sent().includes(id)), 20_000);
    for (const { body } of receiver.requests) expect(body.toString()).toBe('{"data":{}}');
    expect(new Set(sent()).size).toBe(sent().length);
  }, 60_000);

  it('does not wait for a notification that somebody else has locked', async () => {
    if (kind.name === 'SQLite') return;
    const service = await database.start({ ROLE: 'api' });
    const [locked] = await store(service, [
      { ageMs: DAY_MS, statuses: ['SUCCEEDED'] },
      { ageMs: DAY_MS, statuses: ['SUCCEEDED'] },
    ]);
    const source = service.app.get(DataSource);
    await source.transaction(async (manager) => {
      await manager.query('SELECT id FROM webhook_notification WHERE id = ? LOCK IN SHARE MODE', [
        locked?.id,
      ]);
      const worker = await database.start(env);
      await until(async () => (await left(worker)).notifications.length === 1);
      expect(await left(worker)).toMatchObject({ whole: [locked?.id], overdue: [locked?.id] });
    });
    await until(async () => (await left(service)).notifications.length === 0);
    expect((await notify(service, newUser())).status).toBe(202);
  });

  it('makes a SQLite file smaller, in steps', async () => {
    if (kind.name !== 'SQLite') return;
    const service = await database.start({ RETENTION_DAYS: '2' });
    await service.app.get(Jobs).quiet();
    const body = Buffer.alloc(100_000, 'x');
    await store(
      service,
      Array.from({ length: 150 }, () => ({ ageMs: 3 * DAY_MS, statuses: ['FAILED' as const], body })),
    );
    const pages = async () => {
      const [row] = (await service.app.get(Database, { strict: false }).pragma('page_count')) as {
        page_count: number;
      }[];
      return row?.page_count ?? 0;
    };
    const before = await pages();
    const sizes: number[] = [];
    for await (const _ of service.app.get(RetentionPass, { strict: false }).steps())
      sizes.push(await pages());
    expect(before).toBeGreaterThan(3000);
    expect(await pages()).toBeLessThan(before / 4);
    // No step gives back all of it.
    expect(new Set(sizes).size).toBeGreaterThan(3);
  });
});
