import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { databases, type TestDatabase } from '../support/databases.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { newUser, notify, trigger, triggerWhen } from '../support/scene.js';
import { startService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

/** Failures enough for a pause of many seconds. */
const FAILURES = 10;
const SOON_MS = 3000;

describe.each(databases)('by hand, while a receiver is paused, on $name', (kind) => {
  let database: TestDatabase;
  let sender: TestService;
  let api: TestService;
  let receiver: Receiver;
  let webhookId: string;
  let failed: string;

  beforeAll(async () => {
    database = await kind.create();
    const env = { RETRY_SCHEDULE_SECONDS: Array(30).fill(1).join(','), WEBHOOK_CONCURRENCY: '1' };
    sender = await startService(database.url, env);
    api = kind.name === 'SQLite' ? sender : await startService(database.url, { ...env, ROLE: 'api' });
  });
  afterAll(async () => {
    if (api !== sender) await api.stop();
    await sender.stop();
    await database.drop();
  });
  beforeEach(async () => {
    receiver = await startReceiver();
    receiver.respondWith({ status: 503 });
    const user = newUser();
    ({ id: webhookId } = await createWebhook(sender, { user_id: user, url: receiver.url }));
    failed = await trigger(sender, user);
    for (let i = 0; i < 20; i++) await notify(sender, user);
    await receiver.waitFor(FAILURES, 20_000);
    receiver.respondWith({});
    await triggerWhen(sender, failed, ({ status }) => status === 'PENDING');
  }, 30_000);
  afterEach(() => receiver.close());

  const idOf = (request: { headers: Record<string, unknown> }) => request.headers['webhook-id'];
  const isTest = ({ body }: { body: Buffer }) => body.includes('WEBHOOK_TEST');

  async function sendsSoon(by: TestService, what: 'test' | 'retry'): Promise<void> {
    const found = await by.call('GET', `/v1/webhook/trigger?id=${failed}`);
    const before = receiver.requests.length;
    const answer =
      what === 'test'
        ? await by.call('POST', '/v1/webhook/test', { id: webhookId })
        : await by.call('POST', '/v1/webhook/trigger/retry', { id: failed });
    expect(answer.status).toBe(202);
    const later = () => receiver.requests.slice(before);
    const isIt = (request: (typeof receiver.requests)[number]) =>
      what === 'test' ? isTest(request) : idOf(request) === found.body.notification_id;
    await until(() => later().some(isIt), { withinMs: SOON_MS, what });
    // It is the probe: the first that is sent, and its success lets the others follow.
    expect(later().findIndex(isIt)).toBe(0);
    await until(() => new Set(receiver.requests.filter((r) => r.path === '/').map(idOf)).size >= 21, {
      withinMs: SOON_MS,
      what: 'the others',
    });
  }

  it('a retry goes out at once, as the probe', () => sendsSoon(sender, 'retry'));
  it('a test goes out at once, as the probe', () => sendsSoon(sender, 'test'));
  it('a retry that another process takes does so too', () => sendsSoon(api, 'retry'));
  it('a test that another process takes does so too', () => sendsSoon(api, 'test'));
});
