import { connect, Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { Connector } from '../../../src/network/connector.js';
import { Dialler } from '../../../src/network/dialler.js';
import { SQLITE } from '../../support/databases.js';
import { useReceiver, useService } from '../../support/fixture.js';
import { attempted, newUser, trigger } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';

describe('a webhook with a second for each attempt', () => {
  const service = useService(SQLITE, { RETRY_SCHEDULE_SECONDS: '3600' });
  const receiver = useReceiver();

  it('is delivered in the first one, though two of the three addresses of its host are dead', async () => {
    const connector = service.get(Connector);
    // Of these comes neither an answer nor an error.
    const dialler = new Dialler((to) => (to.host?.startsWith('127.0.9.') ? new Socket() : connect(to)));
    Reflect.set(connector, 'resolve', async () => ['127.0.9.1', '127.0.9.2', '127.0.0.1']);
    Reflect.set(connector, 'dialler', dialler);
    const user = newUser();
    const url = `http://receiver.test:${receiver.port}`;
    await createWebhook(service, { user_id: user, url, settings: { timeout_ms: 1000 } });
    const { attempts } = await attempted(service, await trigger(service, user));
    expect(attempts).toMatchObject([{ number: 1, response_data: { status: 200 }, error: null }]);
  });
});
