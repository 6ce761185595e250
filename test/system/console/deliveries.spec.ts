import { expect, it } from '@jest/globals';
import { NO_ID } from '../../support/api.js';
import { useReceiver } from '../../support/fixture.js';
import { attempted, finished, newUser } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { describeInBrowser } from '../support/shared/browser.js';
import { useConsole, useOwnConsole } from './support/console.js';

describeInBrowser('The screen of deliveries', () => {
  const app = useConsole();
  const receiver = useReceiver('test');

  /** Somebody with one webhook that is answered with a 500. */
  async function scene({ user = app.user(), settings = {} } = {}) {
    receiver.respondWith({ status: 500, body: '{"error":"no room"}' });
    const owner = await user;
    await owner.webhook({ name: 'Ledger', url: `${receiver.url}/hooks`, settings });
    return owner;
  }

  it('shows what is sent as it is sent, and when it is tried next', async () => {
    const user = await scene();
    const screen = await user.open('/deliveries');
    await screen.saysToAll('Nothing was sent yet');
    await user.trigger();
    // It comes by itself, by a stream or by looking.
    const row = async () => (await screen.rows())[0]?.join(' ') ?? '';
    await until(async () => /500 in \d+ ms/.test(await row()), { what: 'the delivery' });
    expect(await row()).toMatch(/RECORD_FINISHED\s+to Ledger\s.*Waiting.*\sin \d+ min/s);
    await screen.isForAll();
  });

  it('shows what a stream brings, without asking for the list', async () => {
    const screen = await (await app.user()).open('/webhooks');
    const ids = { id: NO_ID, notification_id: NO_ID, webhook_id: NO_ID };
    const none = { next_attempt_at: null, response_data: null, error: null, diagnosis: null };
    const answers = ['DELIVERING', 'SUCCEEDED'].map((status, index) => {
      const data = JSON.stringify({ ...ids, event_kind: 'FROM_STREAM', status, attempt_count: 0, ...none });
      const body = `: hello\n\nid: ${index}\nevent: trigger\ndata: ${data}\n\n`;
      return { contentType: 'text/event-stream', body };
    });
    const resumed: (string | undefined)[] = [];
    const isSeen = Promise.withResolvers<void>();
    await screen.page.setRequestInterception(true);
    screen.page.on('request', async (request) => {
      if (!request.url().includes('/trigger/stream')) return void request.continue();
      resumed.push(request.headers()['last-event-id']);
      const answer = answers.shift();
      // What it becomes does not come before somebody has seen what it is.
      if (resumed.length > 1) await isSeen.promise;
      // The last one stays open.
      if (answer) await request.respond(answer);
    });
    await screen.press('link', 'Deliveries');
    await screen.says('Under way', 'tbody');
    isSeen.resolve();
    await screen.says('Live');
    await screen.says('Succeeded', 'tbody');
    await until(() => resumed.length === 3);
    expect(resumed).toEqual([undefined, '0', '1']);
    await screen.says('FROM_STREAM to Deleted webhook', 'tbody');
  });

  it('says that a delivery waits for its turn in a line', async () => {
    const user = await scene({ settings: { ordering: 'record' } });
    await attempted(app.service, await user.trigger());
    // Of the same record: the earlier one holds it back.
    await user.trigger();
    const screen = await user.open('/deliveries');
    await screen.says('2 deliveries');
    const next = (await screen.rows()).map((cells) => cells.find((cell) => /turn|^in /.test(cell)));
    expect(next).toEqual(['waits for its turn', expect.stringMatching(/^in \d+ min/)]);
  });

  it('filters by what is in the address', async () => {
    const user = await scene();
    const other = await user.webhook({ name: 'Archive', enabled: false });
    receiver.respondWith([{ status: 200 }, { status: 404 }]);
    await finished(app.service, await user.trigger());
    const { body } = await user.notify({ record: { id: 'rec 2/ü', analysis: [] } });
    await attempted(app.service, body.triggers[0].id);

    const screen = await user.open('/deliveries');
    await screen.says('2 deliveries');
    await screen.page.select('select[aria-label=Status]', 'SUCCEEDED');
    await screen.says('1 delivery');
    expect(screen.path).toBe('/deliveries?status=SUCCEEDED');
    await screen.page.reload();
    await screen.says('1 delivery');
    await screen.page.select('select[aria-label=Status]', '');
    await screen.page.select('select[aria-label=Webhook]', other.id);
    await screen.says('No delivery is like that');
    await screen.press('button', 'Show all');
    await screen.says('2 deliveries');
    expect(screen.path).toBe('/deliveries');
    await screen.page.select('select[aria-label=Time]', '1h');
    await screen.says('2 deliveries');
    await screen.page.select('select[aria-label=Time]', 'between');
    await screen.isForAll();
    await screen.keys('/');
    await screen.page.keyboard.type('rec 2/ü');
    await screen.keys('Enter');
    await screen.says('1 delivery');
    expect(new URLSearchParams(screen.path.split('?')[1]).get('record')).toBe('rec 2/ü');
    await screen.type('Record', 'nothing');
    await screen.keys('Enter');
    await screen.says('No delivery is like that');
  });

  it('says what is wrong with a span, and with an address that nobody would press', async () => {
    const user = await scene();
    await user.trigger();
    const span = 'since=2026-02-02T00:00:00.000Z&until=2026-01-01T00:00:00.000Z';
    const screen = await user.open(`/deliveries?${span}`);
    await screen.says('It begins after its end.');
    await screen.page.goto(`${screen.base}/deliveries?status=NONSENSE`);
    await screen.says('1 delivery');
    await screen.page.goto(`${screen.base}/deliveries?webhook=nonsense`);
    await screen.saysToAll('validation_failed');
  });

  it('sends many again', async () => {
    const user = await scene();
    const ids = [await user.trigger(), await user.trigger()];
    await Promise.all(ids.map((id) => attempted(app.service, id)));
    const screen = await user.open('/deliveries');
    await screen.says('2 deliveries');
    await screen.press('checkbox', 'Select all');
    await screen.saysToAll('2 selected', '.picked-bar');
    receiver.respondWith({ status: 200 });
    await screen.press('button', 'Send again');
    await screen.says('2 deliveries sent again.', '.toasts');
    await Promise.all(ids.map((id) => finished(app.service, id)));
    await until(async () => (await screen.rows()).every((row) => row.join().includes('Succeeded')));
    await screen.saysNoMore('selected', 'main');
  });

  it('offers nothing to who may only read', async () => {
    const user = await scene({ user: app.reader() });
    await user.trigger();
    const screen = await user.open('/deliveries');
    await screen.says('1 delivery');
    expect(await screen.page.$('input[type=checkbox]')).toBeNull();
  });

  it('leads by keyboard from the list to a delivery, and sends it again', async () => {
    const user = await scene();
    const id = await user.trigger();
    await attempted(app.service, id);
    const screen = await user.open('/deliveries');
    await screen.says('1 delivery');
    await screen.keys('j');
    await screen.focusIsOn('RECORD_FINISHED');
    await screen.keys('Enter');
    await until(() => screen.path === `/deliveries/${id}`);
    await screen.focusIsOn('RECORD_FINISHED');
    await screen.says('no room', '[aria-label=Response]');
    receiver.respondWith({ status: 200, body: 'thanks' });
    await screen.keys('r');
    await screen.says('1 delivery sent again.', '.toasts');
    await screen.says('thanks', '[aria-label=Response]');
    await screen.says('Succeeded', '.facts');
    await screen.page.goBack();
    await screen.says('Succeeded', 'tbody');
    await screen.focusIsOn('RECORD_FINISHED');
  });
});

describeInBrowser('The screen of deliveries beside very many webhooks', () => {
  const app = useOwnConsole();
  const receiver = useReceiver('test');

  it('knows the name of each webhook, however many there are', async () => {
    const user = await app.user();
    const { id: oldest } = await user.webhook({ name: 'The oldest', url: `${receiver.url}/hooks` });
    await finished(app.service, await user.trigger());
    for (let users = 0; users < 50; users += 1) {
      const user_id = newUser();
      await Promise.all(Array.from({ length: 20 }, () => createWebhook(app.service, { user_id })));
    }
    const screen = await app.open(`/deliveries?webhook=${oldest}`);
    await screen.says('RECORD_FINISHED to The oldest', 'tbody');
    await screen.says('The oldest', 'select[aria-label=Webhook]');
  });
});
