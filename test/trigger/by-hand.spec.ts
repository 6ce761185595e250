import { beforeAll, describe, expect, it } from '@jest/globals';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { newUser, notify, trigger, triggerWhen } from '../support/scene.js';
import type { TestService } from '../support/service.js';
import { createWebhook } from '../support/webhook.js';

/** The receiver asks to be left alone for longer than a test lasts. */
const BUSY = { status: 503, headers: { 'Retry-After': '3600' } };
const OTHERS = 20;

describe.each(databases)('while a receiver is paused, on $name,', (kind) => {
  const sender = useService(kind, { WEBHOOK_CONCURRENCY: '1' });
  const receiver = useReceiver('test');
  let another: TestService;

  // On SQLite there is no other process.
  const callers = kind.name === 'SQLite' ? ['this'] : ['this', 'another'];
  beforeAll(async () => {
    if (callers.includes('another')) another = await sender.database.start({ ROLE: 'api' });
  });

  it.each(callers.flatMap((caller) => [`a retry by ${caller}`, `a test by ${caller}`]))(
    '%s process is sent at once, as the probe',
    async (what) => {
      const caller = what.endsWith('another') ? another : sender;
      const user = newUser();
      const { id: webhookId } = await createWebhook(sender, { user_id: user, url: receiver.url });
      receiver.respondWith([BUSY, {}]);
      const id = await trigger(sender, user);
      const { notification_id } = await triggerWhen(sender, id, ({ attempt_count }) => attempt_count === 1);
      for (let i = 0; i < OTHERS; i++) await notify(sender, user);
      const answer = what.startsWith('a test')
        ? await caller.call('POST', '/v1/webhook/test', { id: webhookId })
        : await caller.call('POST', '/v1/webhook/trigger/retry', { id });
      expect(answer.status).toBe(202);
      // Its success releases the others.
      const [, probe, ...others] = await receiver.waitFor(2 + OTHERS);
      if (what.startsWith('a test')) expect(String(probe?.body)).toContain('WEBHOOK_TEST');
      else expect(probe?.headers['webhook-id']).toBe(notification_id);
      expect(new Set(others.map(({ headers }) => headers['webhook-id'])).size).toBe(OTHERS);
    },
  );
});
