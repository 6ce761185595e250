import type { Receiver } from '../../../support/receiver.js';
import { newUser } from '../../../support/scene.js';
import { createWebhook } from '../../../support/webhook.js';
import type { ConsoleFixture } from './console.js';

export const READ = 'webhooks:read';
const WRITE = 'webhooks:write';

/** A webhook of a new user, which sends to `receiver`, and what is stored of it. `fields` change the webhook. */
export async function webhookScene(app: ConsoleFixture, receiver: Receiver, fields: object = {}) {
  const user = newUser();
  const key = await app.keyFor(user, READ, WRITE);
  const { id } = await createWebhook(app.service, {
    user_id: user,
    name: 'CRM sync',
    url: `${receiver.url}/hooks`,
    events: ['RECORD_FINISHED'],
    ...fields,
  });
  const find = async (path: string) => (await app.service.call('GET', path, undefined, { key })).body;
  return {
    user,
    key,
    id,
    stored: () => find(`/v1/webhook?id=${id}`),
    /** Its triggers of this status. */
    triggers: async (status: string) =>
      (await find(`/v1/webhook/trigger/list?webhook_id=${id}&status=${status}`)).data,
    /** Opens one of the tabs of its screen. */
    open: (tab: string) => app.open(`/webhooks/${id}${tab && `?tab=${tab}`}`, key),
  };
}
