import { describe, expect, it } from '@jest/globals';
import { NotifierService } from '../../../src/notifier/notifier.service.js';
import { databases } from '../../support/databases.js';
import { useReceiver, useService } from '../../support/fixture.js';
import { newUser, record } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';

describe.each(databases)('notifications on $name', (kind) => {
  const service = useService(kind);
  const receiver = useReceiver();

  /** Reports so many at once, as the application does: a call over HTTP may be refused because it waited for long. */
  const notifyAtOnce = (count: number, user_id: string, more = {}) => {
    const notifier = service.get(NotifierService);
    const event = { user_id, record: { ...record, ...more } };
    return Promise.all(Array.from({ length: count }, () => notifier.notify('record.finished', event)));
  };

  it('are accepted when many large ones come at once', async () => {
    const user = newUser();
    await createWebhook(service, { user_id: user, url: receiver.url });
    const accepted = await notifyAtOnce(20, user, { x: 'x'.repeat(900_000) });
    expect(accepted.map(({ triggers }) => triggers.length)).toEqual(Array(20).fill(1));
    await receiver.waitFor(20);
  });

  it('are accepted when many for many webhooks come at once', async () => {
    const user = newUser();
    for (let i = 0; i < 100; i++) await createWebhook(service, { user_id: user, url: receiver.url });
    const accepted = await notifyAtOnce(60, user);
    expect(accepted.map(({ triggers }) => triggers.length)).toEqual(Array(60).fill(100));
  });
});
