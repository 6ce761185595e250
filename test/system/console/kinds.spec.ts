import { expect, it } from '@jest/globals';
import { useReceiver } from '../../support/fixture.js';
import { describeInBrowser } from '../support/shared/browser.js';
import { useConsole } from './support/console.js';

describeInBrowser('The screens of kinds of event', () => {
  const app = useConsole();
  const receiver = useReceiver();

  it('say what is sent and who is subscribed, and send a test', async () => {
    const user = await app.user();
    const url = `${receiver.url}/hooks`;
    await user.webhook({ name: 'Ledger', url, events: ['STATUS_CHANGED'] });
    await user.webhook({ name: 'Archive', url, events: ['RECORD_FINISHED'] });
    const screen = await user.open('/kinds');
    await screen.says('The status of a record changed.');
    const rows = await screen.rows();
    expect(rows.find(([kind]) => kind === 'STATUS_CHANGED')?.at(-1)).toBe('1');
    await screen.press('link', 'STATUS_CHANGED');
    await screen.saysToAll('"event_kind": "STATUS_CHANGED"', 'pre');

    await screen.press('tab', 'Example');
    await screen.keys('ArrowRight');
    await screen.focusIsOn('Schema');
    await screen.saysToAll('required', '.json');
    await screen.press('tab', 'Subscribed (1)');
    expect((await screen.rows()).map(([name]) => name?.split('\n')[0])).toEqual(['Ledger']);

    await screen.press('button', 'Send a test');
    await screen.saysToAll('Ledger', 'dialog');
    await screen.press('button', 'Send');
    await screen.saysToAll('Delivered: answered 200', '.toasts');
    const sent = receiver.requests.map(({ body }) => JSON.parse(body.toString()).event_kind);
    expect(sent).toEqual(['STATUS_CHANGED']);
  });
});
