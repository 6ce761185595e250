import type { Receiver } from '../../../support/receiver.js';
import type { ConsoleFixture } from './console.js';

/** A webhook of a new user, which sends to `receiver`, and what is stored of it. `fields` change the webhook. */
export async function webhookScene(app: ConsoleFixture, receiver: Receiver, fields: object = {}) {
  const owner = await app.user();
  const url = `${receiver.url}/hooks`;
  const { id } = await owner.webhook({ name: 'CRM sync', url, events: ['RECORD_FINISHED'], ...fields });
  return {
    owner,
    id,
    stored: () => owner.get(`/v1/webhook?id=${id}`),
    change: (changes: object) => app.service.call('PATCH', '/v1/webhook', { id, ...changes }),
    /** Its deliveries of this status. */
    triggers: async (status: string) =>
      (await owner.get(`/v1/webhook/trigger/list?webhook_id=${id}&status=${status}`)).data,
    /** Opens one of the tabs of its screen. */
    open: (tab: string) => owner.open(`/webhooks/${id}${tab && `?tab=${tab}`}`),
  };
}
