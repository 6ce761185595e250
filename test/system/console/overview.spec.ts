import { expect, it } from '@jest/globals';
import { useReceiver } from '../../support/fixture.js';
import { notifyTimes } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { describeInBrowser } from '../support/shared/browser.js';
import { useConsole } from './support/console.js';

describeInBrowser('The screen that one begins with', () => {
  const app = useConsole();
  const receiver = useReceiver('test');

  it('leads from nothing to a first notification', async () => {
    const screen = await (await app.user()).open('/');
    await screen.says('Welcome', 'h1');
    expect(screen.path).toBe('/overview');
    await screen.page.click('summary');
    await screen.saysToAll('createServer', 'pre');
    await screen.press('link', 'New webhook');
    await screen.type('Name', 'My receiver');
    await screen.type('Address', `${receiver.url}/hooks`);
    await screen.press('button', 'Create webhook');
    await screen.says('My receiver is created', 'dialog');
    await screen.keys('Escape');
    await screen.press('link', 'Overview');
    await screen.saysToAll('My receiver sends to');
    await screen.press('button', 'Send a test');
    await screen.says('Delivered: answered 200 in', '.toasts');
    await screen.says('Overview', 'h1');
    await screen.says('Delivered 1', '.figures');
    expect(receiver.requests).toHaveLength(1);
  });

  it('says how it goes, and what needs somebody, with the reason', async () => {
    receiver.respondWith('/bad', { status: 503 });
    receiver.respondWith('/gone', { status: 410 });
    const user = await app.user();
    for (const path of ['good', 'bad', 'gone'])
      await user.webhook({ name: path, url: `${receiver.url}/${path}`, events: ['RECORD_FINISHED'] });
    await user.notify();
    await until(async () => (await user.attempts()) === 3);

    const screen = await user.open('/overview');
    await screen.says('Success rate 33.3 %', '.figures');
    await screen.says('Waiting now 1', '.figures');
    await screen.says('Off: gone', '.troubles');
    await screen.says('The receiver answered 503', '.troubles');
    expect(await screen.texts('.troubles a')).toEqual(['gone', 'bad']);
    await screen.isForAll();

    // The chart, by keyboard: its last step has all of it.
    const [chart] = await screen.page.$$('[role=slider]');
    await chart?.focus();
    await screen.keys('Home', 'End');
    const said = await chart?.evaluate((element) => element.getAttribute('aria-valuetext'));
    expect(said).toMatch(/, Waiting 1, Failed 2, Succeeded 1$/);
    await screen.says('Waiting 1 Failed 2 Succeeded 1', '.legend-list');
    await screen.keys('ArrowLeft');
    await screen.says('Waiting 0 Failed 0 Succeeded 0', '.legend-list');
    await screen.keys('Tab');
    await screen.saysNoMore('Waiting 0', '.legend-list');
    // By pointer.
    await screen.page.hover('[role=slider]');
    await screen.says('Waiting 0', '.legend-list');
    // And as a table.
    await screen.keys('Enter');
    await screen.says('Succeeded', '.chart-table th');
    expect((await screen.rows()).map((cells) => cells.slice(1))).toEqual([['1', '2', '1']]);
    await screen.isForAll();

    await screen.page.select('select[aria-label="Span of time"]', 'month');
    await until(() => screen.path === '/overview?period=month');
    await screen.says('Success rate 33.3 %', '.figures');
    await screen.press('link', 'gone');
    await until(() => /^\/webhooks\/[\w-]{36}$/.test(screen.path));
  });

  it('does not take what it has looked at for all there is', async () => {
    const user = await app.user();
    // Nothing listens there.
    const { id } = await user.webhook({ name: 'Closed' });
    await user.webhook({ name: 'Idle', events: [] });
    for (let count = 0; count < 510; count += 30) await notifyTimes(30, app.service, user.id);
    // What is not known as a span of time is the usual one.
    const screen = await user.open('/overview?period=century');
    await screen.says('Waiting now 500+', '.figures');
    await screen.says('Of what waits, the newest 500 are in the chart.');
    await screen.says('Only the newest 500 deliveries that failed or wait are looked at.');
    await app.service.call('DELETE', `/v1/webhook?id=${id}`);
    await screen.page.reload();
    await screen.says('Waiting now 0', '.figures');
    await screen.says('Given up 0', '.figures');
    await screen.says('No webhook is in trouble.');
  });
});
