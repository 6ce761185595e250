import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { useReceiver } from '../../support/fixture.js';
import { attempted, finished } from '../../support/scene.js';
import { describeInBrowser } from '../support/shared/browser.js';
import { useConsole } from './support/console.js';

/** What JavaScript cannot keep: digits, the order of fields that look like numbers, a quote for the shell. */
const RECORD = `{"id":"rec_1","2":1,"1":12345678901234567890,"note":"it's","analysis":[]}`;

describeInBrowser('The screen of a delivery', () => {
  const app = useConsole();
  const receiver = useReceiver('test');

  /** The delivery of the record to a webhook of a new user, and how to look at it. */
  async function scene() {
    const user = await app.user();
    await user.webhook({
      url: `${receiver.url}/hooks`,
      headers: { 'X-Api-Key': 'abc' },
      settings: { retry_schedule_seconds: [600, 600] },
    });
    const raw = `{"event_kind":"RECORD_FINISHED","user_id":"${user.id}","record":${RECORD}}`;
    const { body } = await app.service.call('POST', '/v1/notification', undefined, { raw });
    const { id } = body.triggers[0] as { id: string };
    return { id, open: () => user.open(`/deliveries/${id}`) };
  }

  it('shows each attempt, what was sent and answered, and what to do', async () => {
    receiver.respondWith([
      { status: 401, headers: { 'X-Trace': 'one' }, body: '{"error":"bad signature","retry":[1,2]}' },
      { status: 503, headers: { 'X-Trace': 'two' }, body: 'come back' },
      { status: 200, body: 'thanks' },
    ]);
    const { id, open } = await scene();
    await attempted(app.service, id);
    const screen = await open();
    await screen.says('Attempt 1 by schedule', '.attempts');
    await screen.says('401', '.attempts');
    await screen.says('signature', '.box');
    await screen.says('12345678901234567890', '[aria-label=Request]');
    await screen.says('********', '[aria-label=Request]');
    await screen.says('"bad signature"', '[aria-label=Response] .json');
    await screen.says('Next attempt in', '.attempts');
    expect((await screen.page.$$('.phases rect')).length).toBeGreaterThan(1);
    await screen.press('button', 'Exact bytes');
    const [request] = await receiver.waitFor(1);
    await screen.saysToAll(String(request?.body), '[aria-label=Request] pre');

    await screen.press('button', 'Send again');
    await screen.says('Attempt 2 sent again', '.attempts');
    await screen.saysToAll('come back', '[aria-label=Response]');
    await screen.page.select('select[aria-label="Compare with"]', '1');
    expect(await screen.parts('.difference tbody tr')).toEqual(
      expect.arrayContaining([
        ['Made', 'Retry', 'Schedule'],
        ['Answer', '503', '401'],
        ['x-trace', 'two', 'one'],
        ['Body, lines that differ', 'come back', '{"error":"bad signature","retry":[1,2]}'],
      ]),
    );
    expect(screen.path).toContain('with=1');
    await screen.isForAll();
    await screen.keys('r');
    await finished(app.service, id);
    await screen.says('Succeeded', '.facts');
    await screen.page.click('.attempts li:first-child button');
    await screen.says('bad signature', '[aria-label=Response]');
    await screen.says('those of the last attempt', '[aria-label=Request]');
  });

  it('copies a request that curl sends with the same bytes', async () => {
    const { id, open } = await scene();
    await finished(app.service, id);
    const screen = await open();
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
    receiver.respondWith({ status: 500, body: 'x'.repeat(20_000) });
    const { id, open } = await scene();
    await attempted(app.service, id);
    for (let attempts = 2; attempts <= 23; attempts += 1) {
      await app.service.call('POST', '/v1/webhook/trigger/retry', { id });
      await attempted(app.service, id, attempts);
    }
    const screen = await open();
    await screen.says('The last 20 of 23 attempts');
    await screen.says('cut off there', '[aria-label=Response]');
    expect(await screen.page.$$('button.attempt')).toHaveLength(20);
    await screen.press('button', 'Show earlier ones');
    await screen.says('Attempt 1 by schedule');
    expect(await screen.page.$$('button.attempt')).toHaveLength(23);
    await screen.saysNoMore('Show earlier ones');
    await screen.isForAll();
  });

  it('says so where nobody answered', async () => {
    const user = await app.reader();
    await user.webhook();
    const id = await user.trigger();
    await attempted(app.service, id);
    const screen = await user.open(`/deliveries/${id}`);
    await screen.says('connection_refused', '.attempts');
    await screen.says('There was none', '[aria-label=Response]');
    expect(await screen.page.$('::-p-aria(Send again)')).toBeNull();
    await screen.isForAll();
  });
});
