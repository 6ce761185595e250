import { expect, it } from '@jest/globals';
import { until } from '../../support/until.js';
import { describeInBrowser } from '../support/shared/browser.js';
import { useWebhookScene } from './support/webhook-scene.js';

describeInBrowser('The settings of a webhook', () => {
  const { scene } = useWebhookScene();

  it('changes settings, and sends only what was changed', async () => {
    const { id, stored, open } = await scene({
      headers: { 'X-Team': 'risk', Authorization: 'Bearer abc' },
    });
    const screen = await open('settings');
    await screen.type('Name', 'CRM');
    await screen.type('Pauses between attempts', '5 s, 2 h');
    await screen.says('3 attempts within 2 h');
    await screen.type('Longest wait for an answer (seconds)', '2');
    await screen.page.select('select[name=authType]', 'basic');
    await screen.type('User name', 'ada');
    await screen.type('Password', 'secret');
    let sent: Record<string, unknown> = {};
    screen.page.on('request', (request) => {
      if (request.method() === 'PATCH') sent = JSON.parse(request.postData() ?? '');
    });
    // The header of one's own and the authentication are the same header.
    await screen.press('button', 'Save');
    await screen.says('validation_failed');
    await screen.press('button', 'Remove header 2');
    await screen.press('button', 'Save');
    await screen.says('CRM is saved.', '.toasts');
    await screen.says('CRM', 'h1');
    expect(sent).toEqual({
      id,
      name: 'CRM',
      headers: { 'X-Team': 'risk' },
      settings: { retry_schedule_seconds: [5, 7200], timeout_ms: 2000 },
      authentication: { type: 'basic', username: 'ada', password: 'secret' },
    });
    const { settings, authentication } = await stored();
    expect(settings).toMatchObject({
      retry_schedule_seconds: [5, 7200],
      timeout_ms: 2000,
      concurrency: null,
    });
    expect(authentication).toEqual({ type: 'basic', username: 'ada', password: '********' });
    // A mask keeps what is stored; another address wants it anew.
    await screen.type('User name', 'grace');
    await screen.press('button', 'Save');
    await until(async () => (await stored()).authentication.username === 'grace');
    // One may go on typing while it is saved.
    await screen.type('Address', 'http://127.0.0.1:31151/elsewhere');
    await screen.page.waitForFunction(() => !document.querySelector('main [aria-disabled]'));
    await screen.press('button', 'Save');
    await screen.says('credentials_required');
    await screen.press('button', 'Discard');
    await screen.saysNoMore('credentials_required');
    expect((await stored()).url).toContain('/hooks');
  });

  it('says at each field what is wrong with it, and loses nothing', async () => {
    const { open } = await scene();
    const screen = await open('settings');
    await screen.type('Name', ' ');
    await screen.type('Address', 'nowhere');
    await screen.type('Pauses between attempts', 'soon');
    await screen.says('Some part is no time.');
    await screen.type('Attempts at once', 'many');
    await screen.type('Attempts a second at most', '0');
    await screen.type('Longest wait for an answer (seconds)', '90');
    await screen.page.select('select[name=authType]', 'oauth2');
    await screen.type('Address for tokens', 'ftp://x');
    await screen.press('button', 'Save');
    await screen.says('validation_failed');
    const wrong = await screen.page.$$eval('[aria-invalid=true]', (fields) =>
      fields.map((one) => one.getAttribute('name')),
    );
    expect(wrong).toEqual([
      'name',
      'url',
      'tokenUrl',
      'clientId',
      'clientSecret',
      'retry_schedule_seconds',
      'timeout_ms',
      'rate_per_second',
      'concurrency',
    ]);
    await screen.isForAll();
    await screen.press('tab', 'Kinds');
    await screen.press('tab', 'Settings');
    expect(await screen.values('[name=retry_schedule_seconds]')).toEqual(['soon']);
  });

  it('shows what somebody else has changed meanwhile', async () => {
    const { change, stored, open } = await scene({ description: 'Old words' });
    const screen = await open('settings');
    await screen.type('Name', 'Mine');
    await change({ description: 'New words', settings: { concurrency: 3 } });
    await screen.press('button', 'Save');
    await screen.says('Somebody else has changed this webhook meanwhile.');
    await screen.says('Old words New words', '.box');
    await screen.saysToAll('concurrency: 3', '.box');
    expect((await stored()).name).toBe('CRM sync');
    await screen.press('button', 'Save over it');
    await screen.says('Mine is saved.', '.toasts');
    expect(await stored()).toMatchObject({
      name: 'Mine',
      description: 'New words',
      settings: { concurrency: 3 },
    });
  });

  it('sets the order of records, and whether it comes back by itself', async () => {
    const { stored, open } = await scene({ settings: { coalesce: true } });
    const screen = await open('settings');
    const switches = () =>
      screen.page.$$eval('main [type=checkbox]', (boxes) =>
        boxes.map((box) => (box as HTMLInputElement).checked),
      );
    await screen.says('Keep the order of each record');
    expect(await switches()).toEqual([false, true, false]);
    for (const box of await screen.page.$$('main [type=checkbox]')) await box.click();
    await screen.press('button', 'Save');
    await screen.says('is saved.', '.toasts');
    const { settings } = await stored();
    expect(settings).toMatchObject({ ordering: 'record', coalesce: null, auto_recover: true });
  });
});
