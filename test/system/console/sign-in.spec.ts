import { expect, it } from '@jest/globals';
import { ADMIN_KEY } from '../../support/call.js';
import { describeInBrowser } from '../support/shared/browser.js';
import { useConsole, useFirstStart } from './support/console.js';
import type { Screen } from './support/screen.js';

/** Follows a link to the console, as from elsewhere. */
async function follow({ page, base }: Screen, link: string): Promise<void> {
  await page.goto('about:blank');
  await page.goto(base + link);
}

describeInBrowser('The link of the first start', () => {
  const app = useFirstStart();

  it('replaces no session unless one says so, and then signs in once', async () => {
    const { key, code } = app.printed;
    const made = await app.service.call(
      'POST',
      '/v1/api-key',
      { user_id: 'ada', scopes: ['webhooks:read'] },
      { key },
    );
    const screen = await app.open('/webhooks', made.body.key);
    await follow(screen, `/#code=${code}`);
    await screen.saysToAll('You are signed in as ada.', 'dialog');
    expect(screen.page.url()).not.toContain(code);
    await screen.press('button', 'Stay signed in');
    await screen.find('button', 'Account: ada');
    await follow(screen, `/#code=${code}`);
    await screen.press('button', 'Sign in by the link');
    await screen.find('button', 'Account: admin');

    const later = await app.open('/webhooks', null);
    await follow(later, `/#code=${code}`);
    await later.saysToAll('The link was used before');
    await later.type('API key', key);
    await later.keys('Enter');
    await later.find('button', 'Account: admin');
  });
});

describeInBrowser('Somebody at the console', () => {
  const app = useConsole();

  it('signs in with a key, and out again', async () => {
    const { id, key } = await app.reader();
    const screen = await app.open('/webhooks', null);
    await screen.says('Sign in', 'h1');
    await screen.type('API key', 'whk_wrong');
    await screen.keys('Enter');
    await screen.saysToAll('This is not a key of this service.');
    await screen.type('API key', key);
    await screen.keys('Enter');
    await screen.says('No webhook yet');
    expect(screen.path).toBe('/webhooks');
    // The key is nowhere that a script could read.
    const kept = await screen.page.evaluate(() =>
      JSON.stringify([localStorage, sessionStorage, document.cookie]),
    );
    expect(kept).not.toContain('whk_');
    await screen.press('button', `Account: ${id}`);
    await screen.press('button', 'Sign out');
    await screen.says('Sign in', 'h1');
    await screen.page.goBack();
    await screen.says('Sign in', 'h1');
  });

  it('is not signed in by a key in the address, which goes from there', async () => {
    const screen = await app.open('/webhooks', null);
    await follow(screen, `/#key=${ADMIN_KEY}`);
    await screen.says('Sign in', 'h1');
    expect(screen.page.url()).not.toContain('whk_');
  });

  it('is asked for a key again when the session has ended, and goes on with what was typed', async () => {
    const user = await app.user();
    const screen = await user.open('/webhooks/new');
    await screen.type('Name', 'Typed before');
    await screen.type('Address', 'https://example.com/hooks');
    await screen.loseCookies();
    await screen.press('button', 'Create webhook');
    await screen.says('Your session has ended', 'dialog');
    await screen.keys('Escape');
    await screen.type('API key', user.key);
    await screen.keys('Enter');
    await screen.page.waitForFunction(() => document.querySelector('dialog[open]') === null);
    await screen.press('button', 'Create webhook');
    await screen.says('Typed before is created', 'dialog');
  });

  it('sees the service come back by itself', async () => {
    const user = await app.user();
    await user.webhook({ name: 'Still here' });
    const screen = await user.open('/webhooks');
    await screen.says('Still here', 'tbody');
    app.network.refuse();
    await screen.press('link', 'Kinds of event');
    await screen.saysToAll('The service cannot be reached.', '.outage');
    app.network.heal();
    await screen.page.waitForSelector('.outage', { hidden: true });
    await screen.says('RECORD_FINISHED', 'tbody');
  });

  it.each([
    ['/webhooks/0199aaaa-0000-7000-8000-000000000000', 'There is no such webhook'],
    ['/webhooks/nonsense', 'There is no such webhook'],
    ['/deliveries/nonsense', 'There is no such delivery'],
    ['/notifications/nonsense', 'There is no such notification'],
    ['/kinds/NOTHING', 'There is no such kind'],
  ])('is told so where there is nothing: %s', async (path, text) => {
    await (await app.open(path)).saysToAll(text);
  });

  it('is offered nothing that a key may not do which may only read', async () => {
    const screen = await (await app.reader()).open('/overview');
    await screen.says('Your key may read only');
    await screen.saysNoMore('New webhook', 'main');
    await screen.saysNoMore('API keys', 'nav');
    for (const path of ['/keys', '/health']) {
      await screen.page.goto(screen.base + path);
      await screen.saysToAll('Only who may manage everything');
    }
  });

  it('sees his own webhooks, and as an admin whose he wants', async () => {
    const [one, other] = [await app.user(), await app.user()];
    await one.webhook({ name: 'Of one' });
    await other.webhook({ name: 'Of another' });
    const theirs = await one.open('/webhooks');
    await theirs.says('Of one', 'tbody');
    await theirs.saysNoMore('Of another');
    await theirs.saysNoMore('Whose webhooks');

    const admin = await app.open('/webhooks');
    await admin.says('Of one', 'tbody');
    await admin.says('Of another', 'tbody');
    await admin.type('Whose webhooks', other.id);
    await admin.keys('Enter');
    await admin.saysNoMore('Of one', 'tbody');
    await admin.says('Of another', 'tbody');
    await admin.press('button', 'Look at everybody’s');
    await admin.says('Of one', 'tbody');
  });
});
