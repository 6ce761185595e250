import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { WebhookQueues } from '../../src/engine/queue/webhook-queues.js';
import { describeOnMariadb } from '../support/databases.js';
import { useReceiver, useSharing } from '../support/fixture.js';
import { newUser, notifyTimes } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

const SLOTS = 8;
const TRIGGERS = 40;

describeOnMariadb('two processes on $name', (kind) => {
  const services = useSharing(kind, { WEBHOOK_CONCURRENCY: String(SLOTS) });
  const [one] = services;
  const receiver = useReceiver('test');
  let user: string;
  let release: () => void;

  const sending = () => services.map((service) => service.get(WebhookQueues).budget.sending);
  const allSend = () =>
    until(() => sending().every((count) => count === SLOTS), {
      what: `${sending()} under way`,
    });
  beforeEach(async () => {
    user = newUser();
    release = receiver.hold();
    await createWebhook(one, { user_id: user, url: receiver.url });
  });
  afterEach(() => release());

  async function sharesToTheEnd(before = 0): Promise<void> {
    await allSend();
    release();
    await receiver.waitFor(before + TRIGGERS);
    await until(() => services.every((service) => service.get(WebhookQueues).budget.size === 0));
    expect(receiver.requests).toHaveLength(before + TRIGGERS);
  }

  it('share what one of them accepted for a slow receiver', async () => {
    await notifyTimes(TRIGGERS, one, user);
    await sharesToTheEnd();
  });

  it('share what one of them holds when its receiver becomes slow', async () => {
    release();
    await notifyTimes(5 * TRIGGERS, one, user);
    await receiver.waitFor(5 * TRIGGERS);
    await until(() => sending().every((count) => count === 0));
    release = receiver.hold();
    await notifyTimes(TRIGGERS, one, user);
    await sharesToTheEnd(5 * TRIGGERS);
  });
});
