import { expect, it } from '@jest/globals';
import { useReceiver } from '../../support/fixture.js';
import { finished, newUser, notify, trigger, triggerWhen } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { describeInBrowser } from '../support/shared/browser.js';
import { useConsole } from './support/console.js';

const READ = 'webhooks:read';
const WRITE = 'webhooks:write';

describeInBrowser('The screen of deliveries', () => {
  const app = useConsole();
  const receiver = useReceiver('test');

  /** A user with one webhook that is answered with a 500, and a key. */
  async function scene(settings: object = {}) {
    const user = newUser();
    receiver.respondWith({ status: 500, body: '{"error":"no room"}' });
    await createWebhook(app.service, {
      user_id: user,
      name: 'Ledger',
      url: `${receiver.url}/hooks`,
      // Long enough that nothing is tried by itself.
      settings: { retry_schedule_seconds: [600], ...settings },
    });
    return { user, key: await app.keyFor(user, READ, WRITE) };
  }

  const failedOnce = (id: string) =>
    triggerWhen(app.service, id, (found) => found.attempt_count === 1 && found.status === 'PENDING');

  it('shows what is sent as it is sent, and when it is tried next', async () => {
    const { user, key } = await scene();
    const screen = await app.open('/deliveries', key);
    await screen.says('Nothing was sent yet');
    expect(await screen.accessibilityProblems()).toEqual([]);
    const id = await trigger(app.service, user);
    // It comes by itself, by a stream or by looking.
    await until(async () => (await screen.rows()).length === 1, { withinMs: 12_000, what: 'the delivery' });
    await failedOnce(id);
    await until(async () => (await screen.rows())[0]?.join(' ').includes('in '), {
      withinMs: 12_000,
      what: 'its attempt',
    });
    const [row] = await screen.rows();
    expect(row?.join('\n')).toMatch(/RECORD_FINISHED\n+to Ledger/);
    expect(row?.join('\n')).toContain('Waiting');
    expect(row?.join('\n')).toMatch(/500 in \d+ ms/);
    expect(row?.join('\n')).toMatch(/in \d+ min/);
    expect(await screen.accessibilityProblems()).toEqual([]);
  });

  it('shows what a stream brings, without asking for the list', async () => {
    const { key } = await scene();
    const screen = await app.open('/webhooks', key);
    const made = {
      id: '0199aaaa-0000-7000-8000-000000000001',
      notification_id: '0199aaaa-0000-7000-8000-000000000002',
      webhook_id: '0199aaaa-0000-7000-8000-000000000003',
      event_kind: 'FROM_STREAM',
      attempt_count: 0,
      next_attempt_at: null,
      response_data: null,
      error: null,
      diagnosis: null,
    };
    const answers = ['DELIVERING', 'SUCCEEDED'].map((status, index) => {
      const data = JSON.stringify({ ...made, status });
      return {
        contentType: 'text/event-stream',
        body: `: hello\n\nid: ${index}\nevent: trigger\ndata: ${data}\n\n`,
      };
    });
    const resumed: (string | undefined)[] = [];
    await screen.page.setRequestInterception(true);
    screen.page.on('request', (request) => {
      if (!request.url().includes('/trigger/stream')) return void request.continue();
      resumed.push(request.headers()['last-event-id']);
      const answer = answers.shift();
      // The last one stays open.
      if (answer) void request.respond(answer);
    });
    await screen.press('link', 'Deliveries');
    await screen.says('Under way', 'tbody');
    await screen.says('Live');
    await screen.says('Succeeded', 'tbody');
    await until(() => resumed.length === 3);
    expect(resumed).toEqual([undefined, '0', '1']);
    await screen.says('FROM_STREAM to Deleted webhook', 'tbody');
  });

  it('says that a delivery waits for its turn in a line', async () => {
    const { user, key } = await scene({ ordering: 'record' });
    await failedOnce(await trigger(app.service, user));
    // Of the same record: the earlier one holds it back.
    await trigger(app.service, user);
    const screen = await app.open('/deliveries', key);
    await screen.says('2 deliveries');
    const next = (await screen.rows()).map((cells) => cells.find((cell) => /turn|^in /.test(cell)));
    expect(next).toEqual(['waits for its turn', expect.stringMatching(/^in \d+ min/)]);
  });

  it('filters by what is in the address', async () => {
    const { user, key } = await scene();
    const other = await createWebhook(app.service, { user_id: user, name: 'Archive', enabled: false });
    receiver.respondWith({ status: 200 });
    const ids = [await trigger(app.service, user)];
    await finished(app.service, ids[0] as string);
    receiver.respondWith({ status: 404 });
    const record = { id: 'rec 2/ü', analysis: [] };
    const { body } = await notify(app.service, user, { record });
    const failing = body.triggers[0].id;
    await triggerWhen(app.service, failing, ({ attempt_count }) => attempt_count > 0);

    const screen = await app.open('/deliveries', key);
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
    expect(await screen.accessibilityProblems()).toEqual([]);
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
    const { user, key } = await scene();
    await trigger(app.service, user);
    const span = 'since=2026-02-02T00:00:00.000Z&until=2026-01-01T00:00:00.000Z';
    const screen = await app.open(`/deliveries?${span}`, key);
    await screen.says('It begins after its end.');
    await screen.page.goto(`${screen.base}/deliveries?status=NONSENSE`);
    await screen.says('1 delivery');
    await screen.page.goto(`${screen.base}/deliveries?webhook=nonsense`);
    await screen.says('validation_failed');
    expect(await screen.accessibilityProblems()).toEqual([]);
  });

  it('sends many again', async () => {
    const { user, key } = await scene();
    const ids = [await trigger(app.service, user), await trigger(app.service, user)];
    await Promise.all(ids.map(failedOnce));
    const screen = await app.open('/deliveries', key);
    await screen.says('2 deliveries');
    await screen.press('checkbox', 'Select all');
    await screen.says('2 selected', '.picked-bar');
    expect(await screen.accessibilityProblems()).toEqual([]);
    receiver.respondWith({ status: 200 });
    await screen.press('button', 'Send again');
    await screen.says('2 deliveries sent again.', '.toasts');
    await Promise.all(ids.map((id) => finished(app.service, id)));
    await until(async () => (await screen.rows()).every((row) => row.join().includes('Succeeded')), {
      withinMs: 12_000,
    });
    await screen.saysNoMore('selected', 'main');
  });

  it('offers nothing to who may only read, and nothing of others', async () => {
    const { user } = await scene();
    await trigger(app.service, user);
    const screen = await app.open('/deliveries', await app.keyFor(user, READ));
    await screen.says('1 delivery');
    expect(await screen.page.$('input[type=checkbox]')).toBeNull();
    const stranger = await app.open('/deliveries', await app.keyFor(newUser(), READ));
    await stranger.says('Nothing was sent yet');
  });

  it('leads by keyboard from the list to a delivery, and sends it again', async () => {
    const { user, key } = await scene();
    const id = await trigger(app.service, user);
    await failedOnce(id);
    const screen = await app.open('/deliveries', key);
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
