import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { databases } from '../support/databases.js';
import { useDatabase, useReceiver } from '../support/fixture.js';
import { finished, newUser, trigger } from '../support/scene.js';
import { type TestService } from '../support/service.js';
import { createWebhook } from '../support/webhook.js';

describe.each(databases)('a webhook switched off during a failing attempt, on $name', (kind) => {
  const database = useDatabase(kind);
  const receiver = useReceiver();
  let sender: TestService;
  /** On MariaDB, where several processes can run, another process answers the call. */
  let other: TestService;

  beforeAll(async () => {
    sender = await database.start({ RETRY_SCHEDULE_SECONDS: '3600' });
    other = kind.name === 'MariaDB' ? await database.start({ ROLE: 'api' }) : sender;
  });
  beforeEach(() => {
    receiver.requests.length = 0;
  });

  type Switch = (webhook: { id: string; events: { id: string; kind: string }[] }) => Promise<unknown>;
  const eventOf: (webhook: Parameters<Switch>[0]) => string = ({ events }) =>
    events.find((event) => event.kind === 'RECORD_FINISHED')?.id ?? '';

  it.each<[string, Switch]>([
    ['the webhook is disabled', ({ id }) => other.call('PATCH', '/v1/webhook', { id, enabled: false })],
    ['the webhook is deleted', ({ id }) => other.call('DELETE', `/v1/webhook?id=${id}`)],
    ['its event is deleted', (webhook) => other.call('DELETE', `/v1/webhook/event?id=${eventOf(webhook)}`)],
  ])('cancels the trigger when %s', async (_how, switchOff) => {
    const answer = Promise.withResolvers<void>();
    receiver.respondWith({ status: 500, after: answer.promise });
    const user = newUser();
    const webhook = await createWebhook(sender, { user_id: user, url: receiver.url });
    const id = await trigger(sender, user);
    await receiver.waitFor(1);
    await switchOff(webhook);
    answer.resolve();
    expect(await finished(sender, id)).toMatchObject({
      status: 'CANCELLED',
      attempt_count: 1,
      next_attempt_at: null,
    });
  });
});
