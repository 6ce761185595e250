import { describe, expect, it } from '@jest/globals';
import { NotificationErasure } from '../../src/index.js';
import { databases } from '../support/databases.js';
import { useReceiver, useSharing } from '../support/fixture.js';
import { attempted, newUser, notify } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';
import { columnsWith, filesWith } from './needle.js';

const SIZES = [100, 1000, 3500, 4096, 16_000, 100_000];

describe.each(databases)('what was erased on $name', (kind) => {
  const services = useSharing(kind, { RETRY_SCHEDULE_SECONDS: '1,3600', DELIVERY_CONCURRENCY: '64' });
  const [service] = services;
  const receiver = useReceiver();

  const needleOf = (user: string) => `needle-of-${user}-`;

  /** A webhook whose receiver repeats what it gets, maybe after a while, in all parts of its answers. */
  async function echo(user: string, path: string, status: number, after?: Promise<void>): Promise<void> {
    receiver.respondWith(path, ({ body }) => {
      const text = body.toString();
      const found = /needle-of-[\w-]+?-(?=")/.exec(text)?.[0] ?? 'none';
      const headers = { 'X-Echo': found, Location: `/${found}`, ETag: `"${found}"` };
      return { status, headers, body: text, ...(after ? { after } : {}) };
    });
    await createWebhook(service, { user_id: user, url: receiver.url + path, events: ['RECORD_FINISHED'] });
  }

  async function report(user: string, id: string, size: number, needle: string, by = service): Promise<void> {
    const filler = 'x'.repeat(size / 2);
    const analysis = [{ id: 'a', [needle]: 1 }];
    const record = { id, name: needle, a: filler, b: [needle], c: filler, analysis };
    const { status, text } = await notify(by, user, { record });
    if (status !== 202) throw new Error(text);
  }

  async function undelivered(user: string): Promise<number> {
    const list = await service.call('GET', `/v1/webhook/trigger/list?user_id=${user}&limit=100`);
    return list.body.data.filter(({ attempt_count: count }: { attempt_count: number }) => count === 0).length;
  }

  const places = async (needle: string) => ({
    columns: await columnsWith(service, needle),
    files: kind.name === 'SQLite' ? filesWith(service.database.url, needle) : {},
  });
  const nowhere = { columns: [], files: {} };

  it.each([
    ['that succeeds', 200],
    ['that fails', 500],
    ['that redirects', 302],
  ])('is nowhere in the database after a delivery %s', async (_how, status) => {
    const user = newUser();
    const needle = needleOf(user);
    await echo(user, `/echo-${status}`, status);
    await report(user, 'rec_2', 4096, 'nothing');
    // After five failures in a row a receiver is paused.
    for (const size of status === 200 ? SIZES : SIZES.slice(-4)) await report(user, 'rec_1', size, needle);
    await until(async () => (await undelivered(user)) === 0);
    expect((await places(needle)).columns).toEqual([
      'webhook_attempt.response',
      'webhook_attempt.response_body',
      'webhook_notification.body',
    ]);
    const query = `user_id=${user}&record_id=rec_1`;
    expect((await service.call('DELETE', `/v1/notification?${query}`)).status).toBe(200);
    expect(await places(needle)).toEqual(nowhere);
    expect((await places('nothing')).columns).toContain('webhook_notification.body');
  });

  it('does not come back with the answers of attempts that were under way', async () => {
    const user = newUser();
    const needle = needleOf(user);
    const answer = Promise.withResolvers<void>();
    for (const status of [200, 500]) await echo(user, `/slow-${status}`, status, answer.promise);
    for (const size of SIZES) await report(user, 'rec_1', size, needle);
    await receiver.waitFor((all) => all.filter(({ path }) => path.startsWith('/slow')).length === 12);
    const erased = await service.get(NotificationErasure).erase(user, { recordId: 'rec_1' });
    expect(erased).toEqual({ notifications: 6, triggers: 12, cancelled: 12 });
    expect(await places(needle)).toEqual(nowhere);
    answer.resolve();
    // Stored after the late answers.
    const other = await notify(service, user);
    await until(async () => (await undelivered(user)) === 12 && other.status === 202);
    expect(await places(needle)).toEqual(nowhere);
  });

  it('stays away while the same record is reported, sent and erased all the time', async () => {
    const user = newUser();
    const needle = needleOf(user);
    for (const status of [200, 500]) await echo(user, `/busy-${status}`, status);
    const reporting = Promise.all(
      [0, 1, 2, 3].map(async () => {
        for (let i = 0; i < 10; i++)
          await report(user, 'rec_1', SIZES[i % 6] ?? 0, needle, services[i % services.length]);
      }),
    );
    let sum = 0;
    const more = async (by = service) => {
      const path = `/v1/notification?user_id=${user}&record_id=rec_1`;
      const { status, body, text } = await by.call('DELETE', path);
      if (status !== 200) throw new Error(text);
      sum += body.notifications;
    };
    for (let i = 0; i < 8; i++) await Promise.all([more(), more(services.at(-1))]);
    await reporting;
    await more();
    expect(sum).toBe(40);
    // Stored after the answers of all others.
    const other = await notify(service, user);
    for (const { id } of other.body.triggers) await attempted(service, id);
    expect(await places(needle)).toEqual(nowhere);
  });
});
