import { expect, it } from '@jest/globals';
import { useReceiver } from '../../support/fixture.js';
import { newUser, notify } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { describeInBrowser } from '../support/shared/browser.js';
import { useConsole } from './support/console.js';

const READ = 'webhooks:read';
const WRITE = 'webhooks:write';

describeInBrowser('The screen of webhooks', () => {
  const app = useConsole();
  const receiver = useReceiver('test');

  it('creates a webhook, shows its secret once and says how a test went', async () => {
    const key = await app.keyFor(newUser(), READ, WRITE);
    const screen = await app.open('/webhooks', key);
    await screen.says('No webhook yet');
    await screen.press('link', 'Create the first one');
    await screen.type('Name', 'CRM sync');
    await screen.type('Address', `${receiver.url}/hooks`);
    await screen.says('The service can send to this address.');
    await screen.press('checkbox', 'RECORD_FINISHED All analyses of a record finished.');
    await screen.type('Name of header 1', 'Authorization');
    await screen.type('Value of header 1', 'Bearer abc');
    await screen.page.click('summary');
    await screen.page.click('::-p-text(Keep the order of each record)');
    await screen.page.click('::-p-text(Come back by itself)');
    await screen.type('Attempts a second at most', '2.5');
    await screen.press('button', 'Create webhook');

    await screen.says('CRM sync is created', 'dialog');
    await screen.says('whsec_', 'dialog');
    await screen.press('button', 'Send a test');
    await screen.says('Delivered: answered 200 in', '.toasts');
    const [request] = await receiver.waitFor(1);
    expect(request?.headers.authorization).toBe('Bearer abc');

    const { body } = await app.service.call('GET', '/v1/webhook/list', undefined, { key });
    expect(body.data).toHaveLength(1);
    expect(body.data[0]).toMatchObject({ name: 'CRM sync', url: `${receiver.url}/hooks` });
    expect(body.data[0].events.map(({ kind }: { kind: string }) => kind)).toEqual(['RECORD_FINISHED']);
    expect(body.data[0].settings).toMatchObject({
      ordering: 'record',
      coalesce: null,
      auto_recover: true,
      rate_per_second: 2.5,
    });
  });

  it('shows how each webhook has been doing, and what it leads to', async () => {
    receiver.respondWith('/bad', { status: 500 });
    const user = newUser();
    const key = await app.keyFor(user, READ);
    await createWebhook(app.service, { user_id: user, name: 'Good', url: `${receiver.url}/good` });
    await createWebhook(app.service, { user_id: user, name: 'Bad', url: `${receiver.url}/bad` });
    await notify(app.service, user);
    await receiver.waitFor(2);
    await until(async () => {
      const { body } = await app.service.call('GET', '/v1/webhook/stats', undefined, { key });
      return body.total.attempts === 2;
    });

    const screen = await app.open('/webhooks', key);
    await screen.says('0 %', 'tbody');
    await screen.says('100 %', 'tbody');
    const rows = await screen.rows();
    expect(rows.map(([name]) => name?.split('\n')[0])).toEqual(['Bad', 'Good']);
    await screen.press('button', 'Success');
    await screen.page.waitForSelector('th[aria-sort=ascending]');
    await screen.press('button', 'Success');
    await screen.page.waitForSelector('th[aria-sort=descending]');
    expect((await screen.rows()).map(([name]) => name?.split('\n')[0])).toEqual(['Good', 'Bad']);
    expect(screen.path).toBe('/webhooks?order=-success');
    // Who may only read is offered nothing else.
    await screen.saysNoMore('New webhook');
  });

  it('finds by what one types, and keeps it in the address', async () => {
    const user = newUser();
    const key = await app.keyFor(user, READ);
    await createWebhook(app.service, { user_id: user, name: 'Ledger' });
    await createWebhook(app.service, { user_id: user, name: 'Archive', enabled: false });
    const screen = await app.open('/webhooks', key);
    await screen.says('2 webhooks');
    await screen.keys('/');
    await screen.page.keyboard.type('ledg');
    await screen.says('1 webhook');
    expect(screen.path).toBe('/webhooks?q=ledg');
    await screen.page.reload();
    await screen.says('1 webhook');
    await screen.says('Ledger', 'tbody');
    await screen.keys('/', 'x');
    await screen.says('No webhook is like that');
    await screen.press('button', 'Show all');
    await screen.page.select('select[aria-label=State]', 'false');
    await screen.says('Archive', 'tbody');
    await screen.saysNoMore('Ledger', 'tbody');
  });

  it('says at each field what is wrong with it, and loses nothing', async () => {
    const screen = await app.open('/webhooks/new', await app.keyFor(newUser(), READ, WRITE));
    await screen.type('Address', 'ftp://files.example.com');
    await screen.says('The URL must use http or https.');
    await screen.type('Value of header 1', 'no name');
    await screen.press('button', 'Create webhook');
    await screen.says('validation_failed');
    expect(await screen.page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('name');
    await screen.keys('Tab');
    expect(await screen.page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('url');
    // Gone and come back.
    await screen.press('link', 'Webhooks');
    await screen.says('No webhook yet');
    await screen.press('link', 'New webhook');
    await screen.says('The URL must use http or https.');
    const values = await screen.page.$$eval('main input:not([type=checkbox])', (inputs) =>
      inputs.map((input) => (input as HTMLInputElement).value),
    );
    expect(values).toEqual(expect.arrayContaining(['ftp://files.example.com', 'no name']));
  });

  it('can be used by keyboard alone', async () => {
    const user = newUser();
    for (const name of ['First', 'Second']) await createWebhook(app.service, { user_id: user, name });
    const screen = await app.open('/webhooks', await app.keyFor(user, READ, WRITE));
    await screen.says('2 webhooks');
    await screen.keys('j', 'j');
    await screen.focusIsOn('First');
    await screen.keys('k');
    await screen.focusIsOn('Second');
    await screen.keys('?');
    await screen.says('Next row', 'dialog');
    await screen.keys('Escape');
    await screen.focusIsOn('Second');
    await screen.keys('Enter');
    await until(() => /^\/webhooks\/[\w-]{36}$/.test(screen.path));
    await screen.page.goBack();
    await screen.says('2 webhooks');
    await screen.focusIsOn('Second');
    await screen.keys('n');
    await screen.says('New webhook', 'h1');
    await screen.keys('Control+k');
    await screen.page.keyboard.type('kinds');
    await screen.keys('Enter');
    await screen.says('Kinds of event', 'h1');
    await screen.focusIsOn('Kinds of event');
  });

  it('breaks no rule of accessibility', async () => {
    const user = newUser();
    await createWebhook(app.service, { user_id: user });
    await createWebhook(app.service, { user_id: user, enabled: false, name: 'A'.repeat(128) });
    const screen = await app.open('/webhooks', await app.keyFor(user, READ, WRITE));
    await screen.says('2 webhooks');
    expect(await screen.accessibilityProblems()).toEqual([]);
    await screen.keys('Control+k');
    await screen.page.waitForSelector('dialog[open]');
    expect(await screen.accessibilityProblems()).toEqual([]);
    await screen.keys('Escape');
    await screen.press('link', 'New webhook');
    await screen.says('TRIGGER_RECOVERED');
    await screen.page.click('summary');
    expect(await screen.accessibilityProblems()).toEqual([]);
    await screen.press('button', 'Create webhook');
    await screen.says('validation_failed');
    expect(await screen.accessibilityProblems()).toEqual([]);
  });
});
