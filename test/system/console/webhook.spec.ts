import { expect, it } from '@jest/globals';
import { attempted, finished, notifyTimes } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { describeInBrowser } from '../support/shared/browser.js';
import { useWebhookScene } from './support/webhook-scene.js';

describeInBrowser('The screen of a webhook', () => {
  const { app, receiver, scene } = useWebhookScene();

  it('says how it does, and sends a test', async () => {
    receiver.respondWith([{ status: 503 }, { status: 200 }]);
    const { owner, open } = await scene();
    await owner.notify();
    await until(async () => (await owner.attempts()) === 1);
    const screen = await open('');
    await screen.says('The receiver answered 503');
    await screen.says('Success rate 0 %', '.figures');
    await screen.saysToAll('5xx', '.legend-list');
    await screen.keys('t');
    await screen.says('Delivered: answered 200 in', '.toasts');
    await screen.says('Success rate 50 %', '.figures');
  });

  it('says so where it is told of nothing', async () => {
    const { open } = await scene({ events: [{ kind: 'RECORD_FINISHED', enabled: false }] });
    const screen = await open('');
    await screen.says('Nothing but tests is sent here.');
    await screen.saysToAll('Each notification says who was told of it');
    await screen.press('link', 'Kinds');
    await screen.press('checkbox', 'RECORD_FINISHED All analyses of a record finished.');
    await screen.saysNoMore('Nothing but tests is sent here.');
  });

  it('switches kinds, takes that back, and tries and saves a filter', async () => {
    const { stored, open } = await scene();
    const screen = await open('kinds');
    const status = 'STATUS_CHANGED The status of a record changed.';
    await screen.press('checkbox', status);
    await screen.says('STATUS_CHANGED is sent from now on.', '.toasts');
    expect((await stored()).events).toHaveLength(2);
    await screen.press('button', 'Undo');
    await screen.says('STATUS_CHANGED is not sent any more.', '.toasts');
    const isOn = ({ enabled }: { enabled: boolean }) => enabled;
    await until(async () => (await stored()).events.filter(isOn).length === 1);
    await screen.isForAll();

    await screen.press('button', 'Add a filter of RECORD_FINISHED');
    await screen.type('Filter', '{"name": ');
    await screen.press('button', 'Save');
    await screen.says('This is no JSON', '.field .error');
    await screen.type('Filter', '{"name": {"$regex": "A"}, "age": {"$gt": []}}');
    await screen.press('button', 'Save');
    await screen.says('/name/$regex is no operator', '.field .error');
    await screen.saysToAll('/age/$gt', '.field .error');
    await screen.type('Filter', '');
    await screen.press('button', 'analysis.status');
    await screen.press('button', 'status');
    const [filter = ''] = await screen.values('[name=filter]');
    expect(JSON.parse(filter)).toEqual({ 'analysis.status': 'VALID', status: 'VALID' });
    await screen.press('button', 'Try it');
    await screen.says('This record is sent', 'dialog');
    await screen.type('Filter', '{"name": "Ada"}');
    await screen.type('Record to try it on', '{"id": "1", "analysis": [], "name": "Bob"}');
    await screen.press('button', 'Try it');
    await screen.says('This record is not sent /name does not match', 'dialog');
    await screen.type('Record to try it on', '{"id": "1", "analysis": [], "name": "Ada"}');
    await screen.press('button', 'Try it');
    await screen.says('This record is sent', 'dialog');
    await screen.press('button', 'Save');
    await screen.says('{"name":"Ada"}', '.kinds');
    expect((await stored()).events[0].filter).toEqual({ name: 'Ada' });
  });

  it('recovers what failed: says what it would send, how far it is, and stops', async () => {
    // The first answer switches the webhook off: what comes later would not be sent.
    const release = receiver.hold({ status: 410 });
    const { owner, open, triggers } = await scene({ settings: { retry_schedule_seconds: [0] } });
    // At one a second, so many take a minute: long enough to be seen and stopped.
    await notifyTimes(60, app.service, owner.id);
    release();
    await until(async () => (await triggers('CANCELLED')).length + (await triggers('FAILED')).length === 60);
    const screen = await open('recover');
    await screen.says('The service has switched this webhook off.');
    await screen.saysToAll('Off: gone', '.badge');
    receiver.respondWith({ status: 200 });
    await screen.press('button', 'Resume');
    await screen.says('CRM sync is on again.', '.toasts');
    await screen.saysNoMore('The service has switched this webhook off.');
    await screen.says('60 deliveries, within about');

    await screen.type('Deliveries a second', '0');
    await screen.says('1', '.field .error');
    await screen.type('Deliveries a second', '1');
    await screen.says('60 deliveries, within about 1 min');
    await screen.press('button', 'Send again');
    await screen.says('Sending again', 'h2');
    expect(await screen.page.$('progress')).not.toBeNull();
    await screen.press('button', 'Stop');
    await screen.says('Stopped', 'tbody');
    await screen.saysToAll('of 60', 'tbody');
    await screen.type('Deliveries a second', '1000');
    await screen.press('button', 'Send again');
    await until(async () => (await triggers('SUCCEEDED')).length === 60);
    await screen.says('Done', 'tbody');
    await screen.says('There is nothing to send again.');
  });

  it('counts anew what is left to send again, where a recovery is done before anybody sees it run', async () => {
    receiver.respondWith({ status: 410 });
    const { owner, change, open, triggers } = await scene();
    await finished(app.service, await owner.trigger());
    receiver.respondWith({ status: 200 });
    await change({ enabled: true });
    const screen = await open('recover');
    await screen.says('1 delivery, within about');
    await screen.page.setRequestInterception(true);
    screen.page.on('request', async (request) => {
      if (request.url().includes('/recover/list')) {
        await until(async () => (await triggers('SUCCEEDED')).length === 1);
      }
      await request.continue();
    });
    await screen.press('button', 'Send again');
    await screen.says('Done', 'tbody');
    await screen.says('There is nothing to send again.');
  });

  it('names what a pause and a deletion cancel', async () => {
    receiver.respondWith({ status: 500 });
    const { owner, open, stored, triggers } = await scene();
    const screen = await open('');
    // Nothing waits: it is done at once, and can be taken back.
    await screen.press('button', 'Pause');
    await screen.says('CRM sync is paused.', '.toasts');
    expect((await stored()).enabled).toBe(false);
    await screen.press('button', 'Undo');
    await until(async () => (await stored()).enabled);

    await attempted(app.service, await owner.trigger());
    await screen.press('button', 'Pause');
    await screen.saysToAll('1 delivery that waits will be cancelled: 1 RECORD_FINISHED', 'dialog');
    await screen.press('button', 'Cancel');
    expect((await triggers('PENDING')).length).toBe(1);
    await screen.press('button', 'Delete');
    await screen.says('1 delivery that waits will be cancelled', 'dialog');
    await screen.type('Type “CRM sync” to go on', 'CRM');
    expect(await screen.page.$('dialog button[type=submit]:disabled')).not.toBeNull();
    await screen.type('Type “CRM sync” to go on', 'CRM sync');
    await screen.keys('Enter');
    await screen.says('CRM sync is deleted.', '.toasts');
    expect(screen.path).toBe('/webhooks');
    await screen.says('No webhook yet');
    expect((await triggers('CANCELLED')).length).toBe(1);
  });

  it('lets who may only read change nothing', async () => {
    const reader = await app.reader();
    const { id } = await reader.webhook({ events: [{ kind: 'RECORD_FINISHED', filter: { a: 1 } }] });
    const screen = await reader.open(`/webhooks/${id}?tab=settings`);
    await screen.says('Pauses between attempts 10 min, as the service', '.facts');
    await screen.press('tab', 'Verify');
    await screen.says('Your key may not see it.');
    await screen.press('tab', 'Kinds');
    await screen.says('{"a":1}');
    await screen.press('tab', 'Recover');
    await screen.says('Nothing was recovered yet');
    const buttons = await screen.page.$$eval('main button:not([role=tab])', (all) =>
      all.map((one) => one.ariaLabel),
    );
    expect(buttons).toEqual(['Copy the address']);
  });
});
