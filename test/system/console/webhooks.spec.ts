import { expect, it } from '@jest/globals';
import { useReceiver } from '../../support/fixture.js';
import { until } from '../../support/until.js';
import { describeInBrowser } from '../support/shared/browser.js';
import { useConsole } from './support/console.js';

describeInBrowser('The screen of webhooks', () => {
  const app = useConsole();
  const receiver = useReceiver('test');

  it('creates a webhook, shows its secret once and says how a test went', async () => {
    const user = await app.user();
    const screen = await user.open('/webhooks');
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
    await screen.isForAll();
    await screen.press('button', 'Create webhook');

    await screen.says('CRM sync is created', 'dialog');
    await screen.says('whsec_', 'dialog');
    await screen.press('button', 'Send a test');
    await screen.says('Delivered: answered 200 in', '.toasts');
    const [request] = await receiver.waitFor(1);
    expect(request?.headers.authorization).toBe('Bearer abc');

    expect((await user.get('/v1/webhook/list')).data).toMatchObject([
      {
        name: 'CRM sync',
        url: `${receiver.url}/hooks`,
        events: [{ kind: 'RECORD_FINISHED' }],
        settings: { ordering: 'record', coalesce: null, auto_recover: true, rate_per_second: 2.5 },
      },
    ]);
  });

  it('shows how each webhook has been doing, and what it leads to', async () => {
    receiver.respondWith('/bad', { status: 500 });
    const user = await app.reader();
    await user.webhook({ name: 'Good', url: `${receiver.url}/good` });
    await user.webhook({ name: 'Bad', url: `${receiver.url}/bad` });
    await user.notify();
    await until(async () => (await user.attempts()) === 2);

    const screen = await user.open('/webhooks');
    const names = async () => (await screen.rows()).map(([name]) => name?.split('\n')[0]);
    await screen.says('0 %', 'tbody');
    await screen.says('100 %', 'tbody');
    expect(await names()).toEqual(['Bad', 'Good']);
    await screen.press('button', 'Success');
    await screen.page.waitForSelector('th[aria-sort=ascending]');
    await screen.press('button', 'Success');
    await screen.page.waitForSelector('th[aria-sort=descending]');
    expect(await names()).toEqual(['Good', 'Bad']);
    expect(screen.path).toBe('/webhooks?order=-success');
    // Who may only read is offered nothing else.
    await screen.saysNoMore('New webhook');
  });

  it('finds by what one types, and keeps it in the address', async () => {
    const user = await app.user();
    await user.webhook({ name: 'Ledger' });
    await user.webhook({ name: `Archive ${'A'.repeat(120)}`, enabled: false });
    const screen = await user.open('/webhooks');
    await screen.saysToAll('2 webhooks');
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
    const screen = await (await app.user()).open('/webhooks/new');
    await screen.type('Address', 'ftp://files.example.com');
    await screen.says('The URL must use http or https.');
    await screen.type('Value of header 1', 'no name');
    await screen.press('button', 'Create webhook');
    await screen.says('validation_failed');
    expect(await screen.focusedField()).toBe('name');
    await screen.isForAll();
    await screen.keys('Tab');
    expect(await screen.focusedField()).toBe('url');
    // Gone and come back.
    await screen.press('link', 'Webhooks');
    await screen.says('No webhook yet');
    await screen.press('link', 'New webhook');
    await screen.says('The URL must use http or https.');
    const typed = await screen.values('main input:not([type=checkbox])');
    expect(typed).toEqual(expect.arrayContaining(['ftp://files.example.com', 'no name']));
  });

  it('takes keys as soon as it shows rows', async () => {
    const user = await app.user();
    await user.webhook({ name: 'First' });
    const screen = await user.open('/webhooks/new');
    await screen.says('New webhook', 'h1');
    await screen.page.evaluate(() => {
      const observer = new MutationObserver(() => {
        if (!document.querySelector('.row-link')) return;
        observer.disconnect();
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }));
      });
      observer.observe(document.body, { childList: true, subtree: true });
    });
    await screen.press('link', 'Webhooks');
    await screen.focusIsOn('First');
  });

  it('can be used by keyboard alone', async () => {
    const user = await app.user();
    for (const name of ['First', 'Second']) await user.webhook({ name });
    const screen = await user.open('/webhooks');
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
    await screen.page.waitForSelector('dialog[open]');
    await screen.isForAll();
    await screen.page.keyboard.type('kinds');
    await screen.keys('Enter');
    await screen.says('Kinds of event', 'h1');
    await screen.focusIsOn('Kinds of event');
  });
});
