import { expect, it } from '@jest/globals';
import { useReceiver } from '../../support/fixture.js';
import { attempted, finished } from '../../support/scene.js';
import { describeInBrowser } from '../support/shared/browser.js';
import { useConsole } from './support/console.js';

describeInBrowser('The screens of notifications', () => {
  const app = useConsole();
  const receiver = useReceiver('test');

  // A name that no id can contain, as 'Ada' is by letters of hexadecimal digits: pages show the user's.
  const record = (id: string) => ({ id, analysis: [], patient: 'Ruth' });

  it('says for each webhook whether it was told, and if not, why', async () => {
    const user = await app.reader();
    await user.webhook({ name: 'Told', url: `${receiver.url}/hooks` });
    await user.webhook({ name: 'Switched off', enabled: false });
    await user.webhook({ name: 'Other kind', events: ['STATUS_CHANGED'] });
    await user.webhook({ name: 'Event off', events: [{ kind: 'RECORD_FINISHED', enabled: false }] });
    await user.webhook({ name: 'Filter', events: [{ kind: 'RECORD_FINISHED', filter: { patient: 'Bob' } }] });
    const { body } = await user.notify({ record: record('rec_1') });
    await finished(app.service, body.triggers[0].id);

    const screen = await user.open('/notifications');
    await screen.saysToAll('1 delivered', 'tbody');
    await screen.keys('j', 'Enter');
    await screen.says('5 webhooks');
    const rows = await screen.rows();
    expect(rows).toHaveLength(5);
    expect(rows).toEqual(
      expect.arrayContaining([
        ['Told', 'Told', 'Delivery'],
        ['Switched off', 'Not told', 'The webhook was off.'],
        ['Other kind', 'Not told', 'It is not subscribed to this kind of event.'],
        ['Event off', 'Not told', 'This kind of event was off for it.'],
        ['Filter', 'Not told', expect.stringMatching(/^Its filter did not match\.\n.*patient/s)],
      ]),
    );
    await screen.says('"Ruth"', '.json');
    // Who may only read is not offered to erase.
    await screen.saysNoMore('Erase');
    await screen.isForAll();
    await screen.press('link', 'Delivery');
    await screen.says('Attempt 1');
  });

  it('finds what was reported of a record, and erases it once its id is typed', async () => {
    const user = await app.user();
    // Nothing listens there.
    await user.webhook();
    const { body } = await user.notify({ record: record('rec_1') });
    await attempted(app.service, body.triggers[0].id);
    await user.notify({ record: record('rec_2') });
    const screen = await user.open('/notifications');
    await screen.says('2 notifications');
    await screen.keys('/');
    await screen.page.keyboard.type('rec_1');
    await screen.keys('Enter');
    await screen.saysNoMore('of rec_2', 'tbody');
    await screen.says('of rec_1', 'tbody');
    await screen.press('button', 'Erase this record’s data');
    await screen.says('1 notification', 'dialog');
    await screen.saysToAll('1 delivery that has not arrived yet will be cancelled', 'dialog');
    await screen.type('Type “rec_1” to go on', 'rec_2');
    expect(await screen.page.$('dialog button[type=submit]:disabled')).not.toBeNull();
    await screen.keys('Enter');
    await screen.type('Type “rec_1” to go on', 'rec_1');
    await screen.keys('Enter');
    await screen.says('Erased: 1 notification, 1 delivery, 1 of them cancelled.', '.toasts');
    await screen.says('of rec_1, erased', 'tbody');
    await screen.press('link', 'RECORD_FINISHED of rec_1, erased');
    await screen.says('Erased just now', '[aria-label="What was reported"]');
    await screen.saysNoMore('Ruth');
    await screen.saysNoMore('Erase this');
    await screen.isForAll();
    await screen.press('link', 'Delivery');
    await screen.says('Cancelled', '.box');
    await screen.says('The body is gone', '[aria-label=Request]');
    expect((await user.get('/v1/notification/list?record_id=rec_2')).data).toMatchObject([
      { erased_at: null },
    ]);
  });

  it('says what there is not', async () => {
    const screen = await (await app.reader()).open('/notifications');
    await screen.saysToAll('Nothing was reported yet');
    await screen.page.goto(`${screen.base}/notifications?kind=NONSENSE`);
    await screen.says('No notification is like that');
    await screen.press('button', 'Show all');
    await screen.says('Nothing was reported yet');
  });
});
