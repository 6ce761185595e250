import { expect, it } from '@jest/globals';
import { describeInBrowser } from '../support/shared/browser.js';
import { useWebhookScene } from './support/webhook-scene.js';

describeInBrowser('The secret of a webhook', () => {
  const { receiver, scene } = useWebhookScene();

  it('is shown when asked, rotated, and counts down to the end of the old one', async () => {
    const { id, owner, open } = await scene();
    const secret = async () => (await owner.get(`/v1/webhook/secret?id=${id}`)).secret;
    const screen = await open('verify');
    await screen.says('CRM_SYNC_SECRET');
    await screen.saysNoMore('whsec_', '.secret');
    await screen.press('button', 'Show the secret');
    const first = await secret();
    await screen.says(first, '.secret');
    await screen.press('button', 'Copy the secret');
    await screen.says('Secret copied', '.toasts');
    await screen.press('button', 'Rotate the secret');
    await screen.type('New secret', 'whsec_short');
    await screen.press('button', 'Rotate');
    await screen.saysToAll('validation_failed', 'dialog');
    await screen.type('New secret', '');
    await screen.press('button', 'Rotate');
    await screen.says('CRM sync has a new secret', 'dialog');
    await screen.says('ceases to sign in 23 h 59 min', 'dialog');
    const second = await secret();
    expect(second).not.toBe(first);
    await screen.says(second, 'dialog');
    await screen.press('button', 'Done');
    await screen.says(second, '.secret');
    await screen.says('signs as well, and ends in 23 h 59 min');
  });

  it('has code that verifies, with the names of the webhook', async () => {
    const { open } = await scene({ name: 'Büro №1', url: `${receiver.url}/in/hooks?x=1` });
    const screen = await open('verify');
    await screen.says("app.post('/in/hooks'", 'pre');
    await screen.says('process.env.BURO_1_SECRET', 'pre');
    await screen.says('timingSafeEqual', 'pre');
    for (const [tab, text] of [
      ['Python', 'hmac.compare_digest'],
      ['Go', 'hmac.Equal'],
      ['PHP', 'hash_equals'],
      ['Ruby', 'OpenSSL.secure_compare'],
      ['Shell', 'webhook_blind'],
    ] as const) {
      await screen.press('tab', tab);
      await screen.says(text, 'pre');
      await screen.says('BURO_1_SECRET', 'pre');
    }
    expect(screen.path).toContain('language=shell');
    await screen.isForAll();
  });

  it.each([
    ['stripe', 'Stripe.webhooks.constructEvent', 'Signing secret'],
    ['github', 'x-hub-signature-256', 'Signing secret'],
    ['standard-asymmetric', 'v1a,', 'Public key'],
  ])('has code for %s', async (scheme, text, heading) => {
    const { open } = await scene({ signature: { scheme } });
    const screen = await open('verify');
    await screen.says(text, 'pre');
    await screen.says(heading, 'h2');
  });
});
