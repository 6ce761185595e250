import { beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { moveClock } from '../support/clock.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { attempted, finished, newUser, trigger, triggerWhen } from '../support/scene.js';
import { createWebhook } from '../support/webhook.js';

const HOUR_MS = 3_600_000;
/** How much later the second attempt is made than the first one. */
const LATER_MS = 10_000;
/** Failures in a row after which a receiver is paused. */
const FAILURES_TO_OPEN = 5;

interface Attempt {
  number: number;
  cause: string;
  begin: string;
}
const causesOf = ({ attempts }: { attempts: Attempt[] }) => attempts.map(({ cause }) => cause);

describe.each(databases)('delivery on $name', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '0.05,0.05,0.05,0.05' });
  const receiver = useReceiver('test');
  let user: string;

  beforeEach(() => {
    user = newUser();
  });

  it('succeeds with the fourth attempt when three have failed', async () => {
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    await createWebhook(service, { user_id: user, url: receiver.url, secret });
    const later = () => {
      moveClock(LATER_MS);
      return 'reset' as const;
    };
    receiver.respondWith([later, 'close', { status: 503 }, { status: 200, body: 'thanks' }]);
    const found = await finished(service, await trigger(service, user));
    expect(receiver.requests.map(({ headers }) => headers['webhook-attempt'])).toEqual(['1', '2', '3', '4']);
    for (const { headers, body } of receiver.requests) {
      expect(body).toEqual(receiver.requests[0]?.body);
      expect(headers['webhook-id']).toBe(found.notification_id);
      expect(() =>
        new Webhook(secret).verify(body.toString(), headers as Record<string, string>),
      ).not.toThrow();
    }
    const times = found.attempts.map(({ begin }: Attempt) => Math.floor(Date.parse(begin) / 1000));
    expect(receiver.requests.map(({ headers }) => Number(headers['webhook-timestamp']))).toEqual(times);
    expect(times[1] - times[0]).toBeGreaterThanOrEqual(LATER_MS / 1000);
    expect(found).toMatchObject({
      status: 'SUCCEEDED',
      attempt_count: 4,
      next_attempt_at: null,
      error: null,
      response_data: { status: 200, body: 'thanks', truncated: false },
      attempts: [
        { number: 1, error: { code: 'connection_reset' }, response_data: null },
        { number: 2, error: { code: 'connection_reset' }, response_data: null },
        { number: 3, error: { code: 'http_status' }, response_data: { status: 503 } },
        { number: 4, error: null, response_data: { status: 200, body: 'thanks' } },
      ],
    });
    const [first, , , last] = found.attempts;
    expect([found.begin, found.end]).toEqual([first.begin, last.end]);
    expect(first.phases).toEqual({ connect: expect.any(Number) });
    expect(last.phases).toMatchObject({ headers: expect.any(Number) });
    expect(last.duration_ms).toBe(Date.parse(last.end) - Date.parse(last.begin));
  });

  it('fails when the schedule is used up, and starts over on a retry by request', async () => {
    const settings = { retry_schedule_seconds: [0.05] };
    await createWebhook(service, { user_id: user, url: receiver.url, settings });
    receiver.respondWith({ status: 500 });
    const id = await trigger(service, user);
    const retry = () => service.call('POST', '/v1/webhook/trigger/retry', { id });
    const failed = (attempts: number) =>
      triggerWhen(
        service,
        id,
        ({ status, attempt_count }) => status === 'FAILED' && attempt_count === attempts,
      );
    expect(await failed(2)).toMatchObject({ next_attempt_at: null });
    expect(await retry()).toMatchObject({ status: 202 });
    const again = await failed(4);
    expect(again.attempts.map(({ number }: Attempt) => number)).toEqual([1, 2, 3, 4]);
    expect(causesOf(again)).toEqual(['schedule', 'schedule', 'retry', 'schedule']);
    receiver.respondWith({ status: 204 });
    await retry();
    expect(await finished(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt_count: 5 });
  });

  it('calls the first attempt of a test by that, also where a process has claimed it', async () => {
    const { id: webhookId } = await createWebhook(service, { user_id: user, url: receiver.url });
    receiver.respondWith([{ status: 400 }, {}]);
    const { id } = (await service.call('POST', '/v1/webhook/test', { id: webhookId })).body;
    expect(causesOf(await finished(service, id))).toEqual(['test', 'schedule']);
    await service.query('DELETE FROM webhook_attempt WHERE trigger_id = ?', [id]);
    const givenBack = `UPDATE webhook_trigger SET attempt_count = 0, status = 'PENDING', next_attempt_at = 1`;
    await service.query(`${givenBack} WHERE id = ?`, [id]);
    expect(causesOf(await finished(service, id))).toEqual(['test']);
  });

  it('calls the attempt that tests a paused receiver a probe', async () => {
    const settings = { retry_schedule_seconds: [0.5, 0.5] };
    await createWebhook(service, { user_id: user, url: receiver.url, settings });
    // Otherwise one may be tried again before another one is accepted.
    const after = receiver.waitFor(FAILURES_TO_OPEN);
    receiver.respondWith([...Array(FAILURES_TO_OPEN).fill({ status: 503, after }), {}]);
    const ids = await Promise.all(Array.from({ length: FAILURES_TO_OPEN }, () => trigger(service, user)));
    const found = await Promise.all(ids.map((id) => finished(service, id)));
    const second = found.map((one) => causesOf(one)[1]).sort();
    expect(second).toEqual(['probe', ...Array(FAILURES_TO_OPEN - 1).fill('schedule')]);
  });

  const inTwoHours = () => new Date(Date.now() + 2 * HOUR_MS).toUTCString();

  it.each<[number, string, () => string, number]>([
    [429, 'two minutes', () => '120', 120_000],
    [503, 'fifty minutes', () => '3000', 3_000_000],
    [503, 'two hours', () => '7200', HOUR_MS],
    [429, 'a time two hours ahead', inTwoHours, HOUR_MS],
  ])('after %i waits as long as Retry-After asks, up to an hour: %s', async (status, _what, value, wait) => {
    await createWebhook(service, { user_id: user, url: receiver.url });
    receiver.respondWith({ status, headers: { 'Retry-After': value() } });
    const id = await trigger(service, user);
    const found = await attempted(service, id);
    expect(Date.parse(found.next_attempt_at) - Date.parse(found.attempts[0].end)).toBe(wait);
  });
});
