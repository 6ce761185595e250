import { expect, it } from '@jest/globals';
import { newUser } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { describeInBrowser } from '../support/shared/browser.js';
import { useOwnConsole } from './support/console.js';

const READ = 'webhooks:read';

describeInBrowser('The screen of API keys', () => {
  const app = useOwnConsole();

  const keysOf = async (user: string) => {
    const { body } = await app.service.call('GET', `/v1/api-key/list?user_id=${user}`);
    return body.data;
  };

  it('creates a key by keyboard alone and shows it once', async () => {
    const user = newUser();
    const screen = await app.open('/keys');
    await screen.says('1 key');
    await screen.keys('n');
    await screen.says('New API key', 'dialog');
    await screen.type('User', user);
    await screen.type('Name', 'Importer');
    expect(await screen.accessibilityProblems()).toEqual([]);
    await screen.keys('Enter');
    await screen.says('The key is created', 'dialog');
    expect(await screen.accessibilityProblems()).toEqual([]);
    // What is nowhere else does not go by a slip.
    await screen.keys('Escape');
    const key = await screen.page.$eval('dialog .secret code', ({ textContent }) => textContent);
    await screen.press('button', 'I have copied it');
    await screen.says('2 keys');
    expect(await screen.page.content()).not.toContain(key);
    expect(await keysOf(user)).toMatchObject([{ name: 'Importer', scopes: [READ], last_used_at: null }]);
    const { body } = await app.service.call('GET', '/v1/me', undefined, { key });
    expect(body.user_id).toBe(user);
    await screen.page.reload();
    await screen.saysNoMore('never', 'tbody');
    expect(await screen.accessibilityProblems()).toEqual([]);
  });

  it('says at each field what is wrong', async () => {
    const screen = await app.open('/keys');
    await screen.press('button', 'New API key');
    await screen.type('User', '');
    await screen.page.click('dialog input[type=checkbox]:checked');
    await screen.press('button', 'Create key');
    await screen.says('validation_failed', 'dialog');
    const wrong = await screen.page.$$eval('dialog .error', (errors) =>
      errors.map((error) => (error as HTMLElement).innerText).filter(Boolean),
    );
    expect(wrong).toHaveLength(2);
    expect(await screen.page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('user_id');
    expect(await screen.accessibilityProblems()).toEqual([]);
  });

  it('says what a deleted key takes along, and ends its sessions', async () => {
    const user = newUser();
    const key = await app.keyFor(user, READ);
    const theirs = await app.open('/webhooks', key);
    await theirs.says('No webhook yet');
    const [{ id }] = await keysOf(user);
    const screen = await app.open('/keys');
    await screen.says(`of ${user}`, 'tbody');
    await screen.press('button', `Delete the key …${id.slice(-6)}`);
    await screen.says('is refused from the next call on', 'dialog');
    await screen.saysNoMore('the last key', 'dialog');
    expect(await screen.accessibilityProblems()).toEqual([]);
    await screen.press('button', 'Delete the key');
    await screen.says('is deleted', '.toasts');
    await screen.saysNoMore(`of ${user}`, 'tbody');
    expect(await keysOf(user)).toEqual([]);
    await theirs.page.reload();
    await theirs.says('Sign in', 'h1');
  });

  it('warns of deleting the last key that may make another', async () => {
    const screen = await app.open('/keys');
    await screen.says('of admin', 'tbody');
    const rows = await screen.rows();
    const index = rows.findIndex((row) => row.join().includes('of admin'));
    const buttons = await screen.page.$$('tbody button');
    await buttons[index]?.click();
    await screen.says('the last key with the scope admin', 'dialog');
    await screen.press('button', 'Cancel');
    await until(async () => (await screen.page.$('dialog[open]')) === null);
  });

  it('is for admins only', async () => {
    const screen = await app.open('/keys', await app.keyFor(newUser(), READ));
    await screen.says('Only who may manage everything');
    await screen.saysNoMore('API keys', 'nav');
  });
});
