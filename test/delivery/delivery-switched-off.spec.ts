import { beforeAll, describe, expect, it } from '@jest/globals';
import { standStill } from '../support/clock.js';
import { databases } from '../support/databases.js';
import { useDatabase, useReceiver } from '../support/fixture.js';
import { type Json, newUser, notifyTimes } from '../support/scene.js';
import type { TestService } from '../support/service.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

const AT_ONCE = 2;

describe.each(databases)('a webhook switched off during its attempts, on $name,', (kind) => {
  const database = useDatabase(kind, 'block', 'migrated');
  const receiver = useReceiver('test');
  let sender: TestService;
  /** On MariaDB, where several processes can run, another process answers the call. */
  let other: TestService;

  beforeAll(async () => {
    sender = await database.start({ RETRY_SCHEDULE_SECONDS: '3600', WEBHOOK_CONCURRENCY: String(AT_ONCE) });
    other = kind.name === 'MariaDB' ? await database.start({ ROLE: 'api' }) : sender;
  });

  const eventOf = ({ events }: Json) => events.find((one: Json) => one.kind === 'RECORD_FINISHED')?.id;

  it.each<[string, (webhook: Json) => Promise<unknown>]>([
    ['the webhook is disabled', ({ id }) => other.call('PATCH', '/v1/webhook', { id, enabled: false })],
    ['the webhook is deleted', ({ id }) => other.call('DELETE', `/v1/webhook?id=${id}`)],
    ['its event is deleted', (webhook) => other.call('DELETE', `/v1/webhook/event?id=${eventOf(webhook)}`)],
    [
      'its event is disabled',
      (webhook) => other.call('PATCH', '/v1/webhook/event', { id: eventOf(webhook), enabled: false }),
    ],
  ])('cancels what waits and what fails when %s, and keeps what succeeds', async (_how, switchOff) => {
    const answer = Promise.withResolvers<void>();
    receiver.respondWith([500, 200].map((status) => ({ status, after: answer.promise })));
    const user = newUser();
    const webhook = await createWebhook(sender, { user_id: user, url: receiver.url });
    // More than memory holds for a webhook.
    await notifyTimes(30, sender, user);
    await receiver.waitFor(AT_ONCE);
    await switchOff(webhook);
    // What another process has changed is known after a second.
    standStill(2000);
    answer.resolve();
    const ended = await until(async () => {
      const list = `/v1/webhook/trigger/list?limit=100&webhook_id=${webhook.id}`;
      const { data } = (await sender.call('GET', list)).body;
      return data.every(({ end }: Json) => end !== null) && data;
    });
    const count = (status: string, attempts: number) =>
      ended.filter((one: Json) => one.status === status && one.attempt_count === attempts).length;
    expect([count('CANCELLED', 0), count('CANCELLED', 1), count('SUCCEEDED', 1)]).toEqual([28, 1, 1]);
    expect(ended.every((one: Json) => one.next_attempt_at === null)).toBe(true);
    expect(receiver.requests).toHaveLength(AT_ONCE);
  });
});
