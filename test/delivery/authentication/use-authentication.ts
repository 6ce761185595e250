import { beforeEach } from '@jest/globals';
import { SQLITE } from '../../support/databases.js';
import { useReceiver, useService, useTokenEndpoint } from '../../support/fixture.js';
import { attempted, finished, newUser, trigger } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';

export const transports = ['undici', 'axios'];

/** Settings of a webhook whose attempts are not repeated while a test lasts. */
export const once = { retry_schedule_seconds: [604_800] };

/** A service, a receiver that answers with the headers it got, and a token endpoint. Each test has its own user. */
export function useAuthentication(transport: string) {
  const service = useService(SQLITE, { DELIVERY_TRANSPORT: transport, RETRY_SCHEDULE_SECONDS: '0,0,0' });
  const receiver = useReceiver('test');
  const tokens = useTokenEndpoint();
  let user: string;

  beforeEach(() => {
    user = newUser();
    receiver.respondWith(({ headers }) => ({ body: JSON.stringify(headers) }));
  });

  return {
    service,
    receiver,
    tokens,
    get user() {
      return user;
    },
    /** The settings of a client of the token endpoint. */
    client: () => ({
      type: 'oauth2',
      token_url: `${tokens.url}/token`,
      client_id: 'web hooks',
      client_secret: 's3cret:client~+',
    }),
    made: (authentication: object, more: object = {}) =>
      createWebhook(service, { user_id: user, url: receiver.url, authentication, ...more }),
    deliver: async () => finished(service, await trigger(service, user)),
    /** Resolves with the trigger after its first attempt. */
    attempted: async () => attempted(service, await trigger(service, user)),
    /** What the receiver was shown. */
    sent: () => receiver.requests.map(({ headers }) => headers.authorization),
  };
}
