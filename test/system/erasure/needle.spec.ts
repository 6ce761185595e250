import { describe, expect, it } from '@jest/globals';
import { columnsWith, filesWith } from '../../erasure/needle.js';
import { databases } from '../../support/databases.js';
import { useReceiver, useSharing } from '../../support/fixture.js';
import { newUser, notify } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';

const SIZES = [100, 1000, 3500, 4096, 16_000, 100_000];

describe.each(databases)('what was erased on $name', (kind) => {
  const services = useSharing(kind, { RETRY_SCHEDULE_SECONDS: '1,3600', DELIVERY_CONCURRENCY: '64' });
  const [service] = services;
  const receiver = useReceiver();

  const needleOf = (user: string) => `needle-of-${user}-`;

  /** Receivers that repeat what they get, some of them after a while, in all parts of their answers. */
  function echo(path: string, status: number, after?: Promise<void>): void {
    receiver.respondWith(path, ({ body }) => {
      const text = body.toString();
      const found = /needle-of-[\w-]+?-(?=")/.exec(text)?.[0] ?? 'none';
      const headers = { 'X-Echo': found, Location: `/${found}`, ETag: `"${found}"` };
      return { status, headers, body: text, ...(after ? { after } : {}) };
    });
  }

  async function report(user: string, id: string, size: number, needle: string, by = service): Promise<void> {
    const filler = 'x'.repeat(size / 2);
    const record = {
      id,
      name: needle,
      a: filler,
      b: [needle],
      c: filler,
      analysis: [{ id: 'a', [needle]: 1 }],
    };
    const { status, text } = await notify(by, user, { record });
    if (status !== 202) throw new Error(text);
  }

  const places = async (needle: string) => ({
    columns: await columnsWith(service, needle),
    files: kind.name === 'SQLite' ? filesWith(service.database.url, needle) : {},
  });
  const nowhere = { columns: [], files: {} };

  it('stays away while the same record is reported, sent and erased all the time', async () => {
    const user = newUser();
    const needle = needleOf(user);
    echo('/busy-200', 200);
    echo('/busy-500', 500);
    for (const path of ['/busy-200', '/busy-500'])
      await createWebhook(service, { user_id: user, url: receiver.url + path, events: ['RECORD_FINISHED'] });
    const reporting = Promise.all(
      [0, 1, 2, 3].map(async () => {
        for (let i = 0; i < 25; i++)
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
    for (let i = 0; i < 20; i++) await Promise.all([more(), more(services.at(-1))]);
    await reporting;
    await more();
    expect(sum).toBe(100);
    await until(() => receiver.requests.length > 0);
    const other = await notify(service, user);
    for (const { id } of other.body.triggers)
      await until(async () => {
        const { body } = await service.call('GET', `/v1/webhook/trigger?id=${id}`);
        return body.attempt_count > 0;
      });
    expect(await places(needle)).toEqual(nowhere);
  });
});
