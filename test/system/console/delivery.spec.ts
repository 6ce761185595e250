import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { useReceiver } from '../../support/fixture.js';
import { finished, newUser, notify, triggerWhen } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';
import { describeInBrowser } from '../support/shared/browser.js';
import { useConsole } from './support/console.js';

const READ = 'webhooks:read';
const WRITE = 'webhooks:write';

/** What JavaScript cannot keep: digits, the order of fields that look like numbers, a quote for the shell. */
const RECORD = `{"id":"rec_1","2":1,"1":12345678901234567890,"note":"it's","analysis":[]}`;

describeInBrowser('The screen of a delivery', () => {
  const app = useConsole();
  const receiver = useReceiver('test');

  async function scene() {
    const user = newUser();
    const webhook = {
      user_id: user,
      name: 'Ledger',
      url: `${receiver.url}/hooks`,
      headers: { 'X-Api-Key': 'abc' },
      settings: { retry_schedule_seconds: [600, 600] },
    };
    await createWebhook(app.service, webhook);
    const raw = `{"event_kind":"RECORD_FINISHED","user_id":"${user}","record":${RECORD}}`;
    const send = () => app.service.call('POST', '/v1/notification', undefined, { raw });
    return { user, send, key: await app.keyFor(user, READ, WRITE) };
  }

  it('shows each attempt, what was sent and answered, and what to do', async () => {
    const { send, key } = await scene();
    receiver.respondWith([
      { status: 401, headers: { 'X-Trace': 'one' }, body: '{"error":"bad signature","retry":[1,2]}' },
      { status: 503, headers: { 'X-Trace': 'two' }, body: 'come back' },
      { status: 200, body: 'thanks' },
    ]);
    const { body } = await send();
    const [{ id }] = body.triggers;
    await triggerWhen(app.service, id, ({ attempt_count }) => attempt_count === 1);
    const screen = await app.open(`/deliveries/${id}`, key);
    await screen.says('Attempt 1 by schedule', '.attempts');
    await screen.says('401', '.attempts');
    await screen.says('signature', '.box');
    await screen.says('12345678901234567890', '[aria-label=Request]');
    await screen.says('********', '[aria-label=Request]');
    await screen.says('"bad signature"', '[aria-label=Response] .json');
    await screen.says('Next attempt in', '.attempts');
    expect(await screen.page.$$eval('.phases rect', (rects) => rects.length)).toBeGreaterThan(1);
    await screen.press('button', 'Exact bytes');
    const [request] = await receiver.waitFor(1);
    await screen.says(String(request?.body), '[aria-label=Request] pre');
    expect(await screen.accessibilityProblems()).toEqual([]);

    await screen.press('button', 'Send again');
    await screen.says('Attempt 2 sent again', '.attempts');
    await screen.says('come back', '[aria-label=Response]');
    expect(await screen.accessibilityProblems()).toEqual([]);
    await screen.page.select('select[aria-label="Compare with"]', '1');
    const rows = await screen.page.$$eval('.difference tbody tr', (all) =>
      all.map((row) => [...row.children].map((cell) => (cell as HTMLElement).innerText)),
    );
    expect(rows).toEqual(
      expect.arrayContaining([
        ['Made', 'Retry', 'Schedule'],
        ['Answer', '503', '401'],
        ['x-trace', 'two', 'one'],
        ['Body, lines that differ', 'come back', '{"error":"bad signature","retry":[1,2]}'],
      ]),
    );
    expect(screen.path).toContain('with=1');
    expect(await screen.accessibilityProblems()).toEqual([]);
    await screen.keys('r');
    await finished(app.service, id);
    await screen.says('Succeeded', '.facts');
    await screen.page.click('.attempts li:first-child button');
    await screen.says('bad signature', '[aria-label=Response]');
    await screen.says('those of the last attempt', '[aria-label=Request]');
  });

  it('copies a request that curl sends with the same bytes', async () => {
    const { send, key } = await scene();
    const { body } = await send();
    const [{ id }] = body.triggers;
    await finished(app.service, id);
    const screen = await app.open(`/deliveries/${id}`, key);
    await screen.says('Attempt 1');
    const text = await screen.copies();
    await screen.keys('c');
    await screen.says('put in the values that are masked', '.toasts');
    await promisify(execFile)('sh', ['-c', await text()]);
    const [first, second] = await receiver.waitFor(2);
    expect(String(second?.body)).toBe(String(first?.body));
    expect(String(second?.body)).toContain(RECORD);
    expect(second?.headers).toMatchObject({
      'webhook-id': first?.headers['webhook-id'],
      'webhook-signature': first?.headers['webhook-signature'],
      'content-type': first?.headers['content-type'],
      'x-api-key': '********',
    });
  });

  it('shows the newest attempts, and the earlier ones when somebody wants them', async () => {
    const { send, key } = await scene();
    receiver.respondWith({ status: 500, body: 'x'.repeat(20_000) });
    const { body } = await send();
    const [{ id }] = body.triggers;
    for (let attempts = 1; attempts <= 23; attempts += 1) {
      if (attempts > 1) await app.service.call('POST', '/v1/webhook/trigger/retry', { id });
      await triggerWhen(
        app.service,
        id,
        (found) => found.attempt_count === attempts && found.status !== 'DELIVERING',
      );
    }
    const screen = await app.open(`/deliveries/${id}`, key);
    await screen.says('The last 20 of 23 attempts');
    await screen.says('cut off there', '[aria-label=Response]');
    const numbers = () => screen.page.$$eval('button.attempt', (all) => all.length);
    expect(await numbers()).toBe(20);
    await screen.press('button', 'Show earlier ones');
    await screen.says('Attempt 1 by schedule');
    expect(await numbers()).toBe(23);
    await screen.saysNoMore('Show earlier ones');
    expect(await screen.accessibilityProblems()).toEqual([]);
  }, 30_000);

  it('says so where nobody answered, and where there is nothing', async () => {
    const user = newUser();
    await createWebhook(app.service, { user_id: user, name: 'Closed' });
    const { body } = await notify(app.service, user);
    const [{ id }] = body.triggers;
    await triggerWhen(app.service, id, ({ attempt_count }) => attempt_count === 1);
    const key = await app.keyFor(user, READ);
    const screen = await app.open(`/deliveries/${id}`, key);
    await screen.says('connection_refused', '.attempts');
    await screen.says('There was none', '[aria-label=Response]');
    expect(await screen.page.$('::-p-aria(Send again)')).toBeNull();
    expect(await screen.accessibilityProblems()).toEqual([]);
    const stranger = await app.open(`/deliveries/${id}`, await app.keyFor(newUser(), READ));
    await stranger.says('There is no such delivery');
    await stranger.page.goto(`${stranger.base}/deliveries/nonsense`);
    await stranger.says('There is no such delivery');
    expect(await stranger.accessibilityProblems()).toEqual([]);
  });
});
