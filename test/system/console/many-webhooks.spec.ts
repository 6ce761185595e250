import { it } from '@jest/globals';
import { useReceiver } from '../../support/fixture.js';
import { finished, newUser } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';
import { describeInBrowser } from '../support/shared/browser.js';
import { useOwnConsole } from './support/console.js';

describeInBrowser('The console beside very many webhooks', () => {
  const app = useOwnConsole();
  const receiver = useReceiver('test');

  it('knows the name of each webhook, however many there are', async () => {
    const { id: oldest } = await createWebhook(app.service, {
      user_id: newUser(),
      name: 'The oldest',
      url: `${receiver.url}/hooks`,
    });
    const { body } = await app.service.call('POST', '/v1/webhook/test', { id: oldest });
    await finished(app.service, body.id);
    for (let users = 0; users < 10; users += 1) {
      const user_id = newUser();
      await Promise.all(Array.from({ length: 100 }, () => createWebhook(app.service, { user_id })));
    }
    const screen = await app.open(`/deliveries?webhook=${oldest}`);
    await screen.says('WEBHOOK_TEST to The oldest', 'tbody');
    await screen.says('The oldest', 'select[aria-label=Webhook]');
  });
});
