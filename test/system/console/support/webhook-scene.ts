import { useReceiver } from '../../../support/fixture.js';
import { useConsole } from './console.js';

/** The console, and a receiver for each test. `scene` makes a webhook of a new user that sends there; `fields` change it. */
export function useWebhookScene() {
  const app = useConsole();
  const receiver = useReceiver('test');
  const scene = async (fields: object = {}) => {
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
        (await owner.get(`/v1/webhook/trigger/list?webhook_id=${id}&status=${status}&limit=100`)).data,
      /** Opens one of the tabs of its screen. */
      open: (tab: string) => owner.open(`/webhooks/${id}${tab && `?tab=${tab}`}`),
    };
  };
  return { app, receiver, scene };
}
