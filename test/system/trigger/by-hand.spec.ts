import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TestClock } from '../../../src/module/testing/test-clock.js';
import { useClock } from '../../support/clock.js';
import { databases } from '../../support/databases.js';
import { useDatabase, useReceiver } from '../../support/fixture.js';
import { newUser, notify, trigger, triggerWhen } from '../../support/scene.js';
import type { TestService } from '../../support/service.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';

/** Number of failures after which the receiver is paused for 8 s. */
const FAILURES = 10;
const SOON_MS = 3000;
const env = { RETRY_SCHEDULE_SECONDS: Array(30).fill(1).join(','), WEBHOOK_CONCURRENCY: '1' };

describe.each(databases)('manual calls while a receiver is paused, on $name', (kind) => {
  const clock = new TestClock();
  const database = useDatabase(kind);
  const receiver = useReceiver('test');
  let sender: TestService;
  let api: TestService;
  let restoreClock: () => void;
  let webhookId: string;
  let failed: string;

  beforeAll(async () => {
    restoreClock = useClock(clock);
    sender = await database.start(env);
    api = kind.name === 'SQLite' ? sender : await database.start({ ...env, ROLE: 'api' });
  });
  afterAll(() => restoreClock());
  beforeEach(async () => {
    receiver.respondWith({ status: 503 });
    const user = newUser();
    ({ id: webhookId } = await createWebhook(sender, { user_id: user, url: receiver.url }));
    failed = await trigger(sender, user);
    for (let i = 0; i < 20; i++) await notify(sender, user);
    await passUntil(() => receiver.requests.length >= FAILURES, 60_000, 100);
    receiver.respondWith({});
    await triggerWhen(sender, failed, ({ status }) => status === 'PENDING');
  }, 30_000);

  /** Lets time pass in steps until `holds` is true. @throws if that takes more than `withinMs` of that time. */
  async function passUntil(holds: () => boolean, withinMs: number, stepMs = 10): Promise<void> {
    let left = withinMs;
    await until(() => {
      if (holds()) return true;
      if (left <= 0) throw new Error(`It did not come true within ${withinMs} ms of the clock`);
      left -= stepMs;
      clock.advance(stepMs);
      return false;
    });
  }

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
    await passUntil(() => later().some(isIt), SOON_MS);
    // It is the probe: it is sent first, and its success releases the others.
    expect(later().findIndex(isIt)).toBe(0);
    await passUntil(
      () => new Set(receiver.requests.filter((r) => r.path === '/').map(idOf)).size >= 21,
      SOON_MS,
    );
  }

  it('sends a retry immediately, as the probe', () => sendsSoon(sender, 'retry'));
  it('sends a test immediately, as the probe', () => sendsSoon(sender, 'test'));
  it('immediately sends a retry that another process accepted', () => sendsSoon(api, 'retry'));
  it('immediately sends a test that another process accepted', () => sendsSoon(api, 'test'));
});
