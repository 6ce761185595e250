import { expect, it } from '@jest/globals';
import { newUser } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { describeInBrowser } from '../support/shared/browser.js';
import { useOwnConsole } from './support/console.js';

describeInBrowser('The screen of API keys', () => {
  const app = useOwnConsole();

  const keysOf = async (user: string) =>
    (await app.service.call('GET', `/v1/api-key/list?user_id=${user}`)).body.data;

  it('creates a key by keyboard alone and shows it once', async () => {
    const user = newUser();
    const screen = await app.open('/keys');
    await screen.says('1 key');
    await screen.keys('n');
    await screen.says('New API key', 'dialog');
    await screen.type('User', user);
    await screen.type('Name', 'Importer');
    await screen.isForAll();
    await screen.keys('Enter');
    await screen.saysToAll('The key is created', 'dialog');
    // What is nowhere else does not go by a slip.
    await screen.keys('Escape');
    const [key = ''] = await screen.texts('dialog .secret code');
    await screen.press('button', 'I have copied it');
    await screen.says('2 keys');
    expect(await screen.page.content()).not.toContain(key);
    expect(await keysOf(user)).toMatchObject([
      { name: 'Importer', scopes: ['webhooks:read'], last_used_at: null },
    ]);
    const { body } = await app.service.call('GET', '/v1/me', undefined, { key });
    expect(body.user_id).toBe(user);
    await screen.page.reload();
    await screen.saysNoMore('never', 'tbody');
    await screen.isForAll();
  });

  it('says at each field what is wrong', async () => {
    const screen = await app.open('/keys');
    await screen.press('button', 'New API key');
    await screen.type('User', '');
    await screen.page.click('dialog input[type=checkbox]:checked');
    await screen.press('button', 'Create key');
    await screen.says('validation_failed', 'dialog');
    expect((await screen.texts('dialog .error')).filter(Boolean)).toHaveLength(2);
    expect(await screen.focusedField()).toBe('user_id');
    await screen.isForAll();
  });

  it('says what a deleted key takes along, and ends its sessions', async () => {
    const user = await app.reader();
    const theirs = await user.open('/webhooks');
    await theirs.says('No webhook yet');
    const [{ id }] = await keysOf(user.id);
    const screen = await app.open('/keys');
    await screen.says(`of ${user.id}`, 'tbody');
    await screen.press('button', `Delete the key …${id.slice(-6)}`);
    await screen.says('is refused from the next call on', 'dialog');
    await screen.saysNoMore('the last key', 'dialog');
    await screen.isForAll();
    await screen.press('button', 'Delete the key');
    await screen.says('is deleted', '.toasts');
    await screen.saysNoMore(`of ${user.id}`, 'tbody');
    expect(await keysOf(user.id)).toEqual([]);
    await theirs.page.reload();
    await theirs.says('Sign in', 'h1');
  });

  it('warns of deleting the last key that may make another', async () => {
    const screen = await app.open('/keys');
    await screen.press('button', 'Delete the key bootstrap');
    await screen.says('the last key with the scope admin', 'dialog');
    await screen.press('button', 'Cancel');
    await until(async () => (await screen.page.$('dialog[open]')) === null);
  });
});
