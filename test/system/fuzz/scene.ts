import { newUser, notify } from '../../support/scene.js';
import { ADMIN_KEY } from '../../support/service.js';
import { createWebhook } from '../../support/webhook.js';
import type { ServiceProcess } from '../support/process.js';
import { KEY_SCOPES } from './headers.js';
import { PROBED } from './probe.js';

/** Settings of the service under attack: the address policy allows only this machine, and no rate limit applies. */
export const ATTACKED = {
  NODE_ENV: 'test',
  LOG_LEVEL: 'error',
  ALLOW_PRIVATE_NETWORK: 'false',
  ALLOWED_NETWORKS: '127.0.0.0/8',
  UNAUTHENTICATED_RATE_LIMIT_PER_MINUTE: '0',
  ...PROBED,
};

/** Names that keep their values for the whole run. */
export async function lastingNames(
  service: ServiceProcess,
  receiverUrl: string,
): Promise<Map<string, string>> {
  const names = new Map([
    ['receiver', receiverUrl],
    ['adminkey', ADMIN_KEY],
  ]);
  for (const [name, scope] of Object.entries(KEY_SCOPES)) names.set(name, (await newKey(service, scope)).key);
  return names;
}

/** New objects of a new user: a batch may delete them and still gets the same results when it is sent again. */
export async function freshNames(service: ServiceProcess, receiverUrl: string): Promise<Map<string, string>> {
  const user = newUser();
  const slots = [0, 1, 2];
  const [webhooks, keys] = await Promise.all([
    Promise.all(
      slots.map((slot) =>
        createWebhook(service, {
          ...{ user_id: user, url: receiverUrl, events: ['RECORD_FINISHED'] },
          signature: { scheme: slot === 0 ? 'standard-asymmetric' : 'standard' },
        }),
      ),
    ),
    Promise.all(slots.map(() => newKey(service, 'webhooks:read'))),
  ]);
  const { body: notification } = await notify(service, user);
  const since = '2020-01-01T00:00:00Z';
  const recovery = await service.call('POST', '/v1/webhook/recover', { id: webhooks[2].id, since });
  const list = await service.call('GET', '/v1/webhook/list?limit=1');
  return new Map([
    ['user', user],
    ['recovery2', recovery.body.id],
    ['cursor', list.body.next_cursor],
    ...slots.flatMap((slot): [string, string][] => [
      [`webhook${slot}`, webhooks[slot].id],
      [`event${slot}`, webhooks[slot].events[0].id],
      [`trigger${slot}`, notification.triggers[slot].id],
      [`notification${slot}`, notification.id],
      [`apikey${slot}`, keys[slot]?.id],
    ]),
  ]);
}

async function newKey(service: ServiceProcess, scope: string): Promise<{ id: string; key: string }> {
  const { body } = await service.call('POST', '/v1/api-key', { user_id: newUser(), scopes: [scope] });
  return body;
}
