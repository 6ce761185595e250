import { beforeEach, describe, expect, it } from '@jest/globals';
import { databases } from '../support/databases.js';
import { useReceiver, useSharing } from '../support/fixture.js';
import { finished, newUser, notify, trigger } from '../support/scene.js';
import { createWebhook } from '../support/webhook.js';

describe.each(databases)('a webhook that is being sent to, on $name', (kind) => {
  const services = useSharing(kind, {});
  const [one, two = one] = services;
  const receiver = useReceiver('test');
  let user: string;
  let id: string;

  beforeEach(async () => {
    user = newUser();
    ({ id } = await createWebhook(one, { user_id: user, url: receiver.url, events: ['RECORD_FINISHED'] }));
    // Both know it from now on, for a second.
    for (const service of [one, two]) await finished(service, await trigger(service, user));
  });
  const sendsAtOnce = async (service: typeof one, event_kind: string) => {
    const { body } = await notify(service, user, { event_kind });
    expect(await finished(service, body.triggers[0].id)).toMatchObject({ status: 'SUCCEEDED' });
  };

  it('gets what it has just been subscribed to, whichever process accepts it', async () => {
    await one.call('POST', '/v1/webhook/event', { webhook_id: id, kind: 'STATUS_CHANGED' });
    for (const service of [two, one]) await sendsAtOnce(service, 'STATUS_CHANGED');
  });

  it('gets what comes once it is enabled again', async () => {
    await one.call('PATCH', '/v1/webhook', { id, enabled: false });
    await one.call('PATCH', '/v1/webhook', { id, enabled: true });
    for (const service of [two, one]) await sendsAtOnce(service, 'RECORD_FINISHED');
  });
});
