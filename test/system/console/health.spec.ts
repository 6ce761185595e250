import { expect, it } from '@jest/globals';
import { useReceiver } from '../../support/fixture.js';
import { until } from '../../support/until.js';
import { describeInBrowser } from '../support/shared/browser.js';
import { useOwnConsole } from './support/console.js';

describeInBrowser('The screen of health', () => {
  const app = useOwnConsole();
  const receiver = useReceiver('test');

  it('says how the service is', async () => {
    const user = await app.user();
    receiver.respondWith({ status: 410 });
    await user.webhook({ url: `${receiver.url}/hooks` });
    await user.notify();
    const metrics = async () => (await app.service.call('GET', '/metrics')).text;
    await until(async () => (await metrics()).includes('webhook_webhooks_disabled{reason="gone"} 1'));
    const screen = await app.open('/health');
    await screen.says('Ready', '[role=status]');
    await screen.says('database, migrations, delivery');
    await screen.says('Switched off as gone 1', '[aria-label=Queue]');
    expect(await screen.parts('.figures > div')).toEqual([
      ['Instances', '1'],
      ['Due and waiting', '0'],
      ['Oldest due', '0 s'],
      ['Under way here', '0'],
    ]);
    await screen.says(`Node.js v${process.versions.node}`, '[aria-label="This process"]');
    await screen.saysToAll('Version 0.', '[aria-label="This process"]');
  });

  it('says so while something is not ready, and where there are no metrics', async () => {
    const screen = await app.open('/webhooks');
    let isReady = false;
    await screen.page.setRequestInterception(true);
    screen.page.on('request', async (request) => {
      const { pathname } = new URL(request.url());
      const notReady = { code: 'not_ready', detail: 'Not ready: migrations.' };
      if (isReady) return request.continue();
      if (pathname === '/metrics') return request.respond({ status: 404, body: '' });
      if (pathname !== '/health/ready') return request.continue();
      await request.respond({ status: 503, contentType: 'application/json', body: JSON.stringify(notReady) });
    });
    await screen.press('link', 'Health');
    await screen.says('Not ready: migrations.');
    await screen.saysToAll('There are no metrics here');
    isReady = true;
    await screen.press('button', 'Look now');
    await screen.says('In order: database');
  });
});
