import { describe, expect, it } from '@jest/globals';
import { databases } from '../../support/databases.js';
import { useReceiver, useService } from '../../support/fixture.js';
import { newUser, notifyTimes, record } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';

describe.each(databases)('notifications on $name', (kind) => {
  const service = useService(kind);
  const receiver = useReceiver();

  it('are accepted when many large ones come at once', async () => {
    const user = newUser();
    await createWebhook(service, { user_id: user, url: receiver.url });
    const answers = await notifyTimes(20, service, user, { record: { ...record, x: 'x'.repeat(900_000) } });
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(202));
    await receiver.waitFor(20);
  });

  it('are accepted when many for many webhooks come at once', async () => {
    const user = newUser();
    for (let i = 0; i < 100; i++) await createWebhook(service, { user_id: user, url: receiver.url });
    const answers = await notifyTimes(60, service, user);
    const shown = answers.map(({ status, body }) => [status, body.triggers?.length]);
    expect(shown).toEqual(Array(60).fill([202, 100]));
  });
});
