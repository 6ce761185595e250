import { beforeEach, describe, expect, it } from '@jest/globals';
import { databases } from '../../support/databases.js';
import { useReceiver, useService } from '../../support/fixture.js';
import { newUser, notify, record } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';

describe.each(databases)('notifications on $name', (kind) => {
  const service = useService(kind);
  const receiver = useReceiver();
  let user: string;

  beforeEach(() => {
    user = newUser();
  });

  const url = () => `${receiver.url}/${user}`;
  const own = () => receiver.requests.filter(({ path }) => path === `/${user}`);

  async function arrived(count: number) {
    await receiver.waitFor(() => own().length >= count, 15_000);
    return own();
  }

  it('accepts many large ones at once', async () => {
    await createWebhook(service, { user_id: user, url: url() });
    const large = { ...record, x: 'x'.repeat(900_000) };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => notify(service, user, { record: large })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(202));
    await arrived(20);
  });

  it('accepts one for many webhooks at once', async () => {
    const webhooks = 100;
    for (let i = 0; i < webhooks; i++)
      await createWebhook(service, { user_id: user, url: url(), name: `${i}` });
    const answers = await Promise.all(Array.from({ length: 60 }, () => notify(service, user)));
    expect(answers.map(({ status, body }) => [status, body.triggers?.length])).toEqual(
      Array(60).fill([202, webhooks]),
    );
  });
});
