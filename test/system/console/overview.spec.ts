import { expect, it } from '@jest/globals';
import { useReceiver } from '../../support/fixture.js';
import { finished, newUser, notify, trigger } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { describeInBrowser } from '../support/shared/browser.js';
import { useConsole } from './support/console.js';

const READ = 'webhooks:read';
const WRITE = 'webhooks:write';

describeInBrowser('The screen that one begins with', () => {
  const app = useConsole();
  const receiver = useReceiver('test');

  const counted = (key: string, attempts: number) =>
    until(async () => {
      const { body } = await app.service.call('GET', '/v1/webhook/stats', undefined, { key });
      return body.total.attempts === attempts;
    });

  it('leads from nothing to a first notification', async () => {
    const user = newUser();
    const key = await app.keyFor(user, READ, WRITE);
    const screen = await app.open('/', key);
    await screen.says('Welcome', 'h1');
    expect(screen.path).toBe('/overview');
    await screen.page.click('summary');
    await screen.says('createServer', 'pre');
    expect(await screen.accessibilityProblems()).toEqual([]);
    await screen.press('link', 'New webhook');
    await screen.type('Name', 'My receiver');
    await screen.type('Address', `${receiver.url}/hooks`);
    await screen.press('button', 'Create webhook');
    await screen.says('My receiver is created', 'dialog');
    await screen.keys('Escape');
    await screen.press('link', 'Overview');
    await screen.says('My receiver sends to');
    expect(await screen.accessibilityProblems()).toEqual([]);
    await screen.press('button', 'Send a test');
    await screen.says('Delivered: answered 200 in', '.toasts');
    await receiver.waitFor(1);
    await screen.says('Overview', 'h1');
    await screen.says('Delivered 1', '.figures');
  });

  it('offers who may only read nothing to press', async () => {
    const screen = await app.open('/overview', await app.keyFor(newUser(), READ));
    await screen.says('Your key may read only');
    await screen.saysNoMore('New webhook', 'main');
  });

  it('says how it goes, and what needs somebody, with the reason', async () => {
    receiver.respondWith('/bad', { status: 503 });
    receiver.respondWith('/gone', { status: 410 });
    const user = newUser();
    const key = await app.keyFor(user, READ, WRITE);
    for (const name of ['Good', 'Bad', 'Gone']) {
      const url = `${receiver.url}/${name.toLowerCase()}`;
      await createWebhook(app.service, { user_id: user, name, url, events: ['RECORD_FINISHED'] });
    }
    await notify(app.service, user);
    await counted(key, 3);

    const screen = await app.open('/overview', key);
    await screen.says('Success rate 33.3 %', '.figures');
    await screen.says('Waiting now 1', '.figures');
    await screen.says('Off: gone', '.troubles');
    await screen.says('The receiver answered 503', '.troubles');
    const named = await screen.page.$$eval('.troubles a', (links) =>
      links.map(({ textContent }) => textContent),
    );
    expect(named).toEqual(['Gone', 'Bad']);
    expect(await screen.accessibilityProblems()).toEqual([]);

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
    expect(await screen.accessibilityProblems()).toEqual([]);

    await screen.page.setViewport({ width: 1280, height: 800 });
    await screen.page.select('select[aria-label="Span of time"]', 'month');
    await until(() => screen.path === '/overview?period=month');
    await screen.says('Success rate 33.3 %', '.figures');
    await screen.press('link', 'Gone');
    await until(() => /^\/webhooks\/[\w-]{36}$/.test(screen.path));
  });

  it('does not take what it has looked at for all there is', async () => {
    const user = newUser();
    const key = await app.keyFor(user, READ);
    // Nothing listens there.
    const { id } = await createWebhook(app.service, { user_id: user, name: 'Closed' });
    await createWebhook(app.service, { user_id: user, name: 'Idle', events: [] });
    const one = () => trigger(app.service, user);
    for (let count = 0; count < 510; count += 30) await Promise.all(Array.from({ length: 30 }, one));
    const screen = await app.open('/overview', key);
    await screen.says('Waiting now 500+', '.figures');
    await screen.says('Of what waits, the newest 500 are in the chart.');
    await screen.says('Only the newest 500 deliveries that failed or wait are looked at.');
    await app.service.call('DELETE', `/v1/webhook?id=${id}`);
    await screen.page.reload();
    await screen.says('Waiting now 0', '.figures');
    await screen.says('No webhook is in trouble.');
  });

  it('says that all is well where it is', async () => {
    const user = newUser();
    const key = await app.keyFor(user, READ);
    await createWebhook(app.service, { user_id: user, url: `${receiver.url}/hooks` });
    await finished(app.service, await trigger(app.service, user));
    const screen = await app.open('/overview', key);
    await screen.says('No webhook is in trouble.');
    await screen.says('Given up 0', '.figures');
    // What is not known as a span of time is the usual one.
    await screen.page.goto(`${screen.base}/overview?period=century`);
    await screen.says('No webhook is in trouble.');
  });
});
