import { beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { finished, newUser, trigger, triggerWhen } from '../support/scene.js';
import { createWebhook } from '../support/webhook.js';

const HOUR_MS = 3_600_000;

describe.each(databases)('delivery on $name', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '0.05,0.05,0.05,0.05' });
  const receiver = useReceiver('test');
  let user: string;

  beforeEach(() => {
    user = newUser();
  });

  it('succeeds with the fourth attempt when three have failed', async () => {
    const { secret } = await createWebhook(service, { user_id: user, url: receiver.url });
    receiver.respondWith(['reset', 'close', { status: 503 }, { status: 200, body: 'thanks' }]);
    const found = await finished(service, await trigger(service, user));
    expect(receiver.requests.map(({ headers }) => headers['webhook-attempt'])).toEqual(['1', '2', '3', '4']);
    for (const { headers, body } of receiver.requests) {
      expect(body).toEqual(receiver.requests[0]?.body);
      expect(headers['webhook-id']).toBe(found.notification_id);
      expect(() =>
        new Webhook(secret).verify(body.toString(), headers as Record<string, string>),
      ).not.toThrow();
    }
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
    const { attempts } = await failed(4);
    expect(attempts.map(({ number }: { number: number }) => number)).toEqual([1, 2, 3, 4]);
    receiver.respondWith({ status: 204 });
    await retry();
    expect(await finished(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt_count: 5 });
  });

  const inTwoHours = () => new Date(Date.now() + 2 * HOUR_MS).toUTCString();

  it.each<[number, string, () => string, number]>([
    [429, 'two seconds', () => '2', 2_000],
    [503, 'fifty minutes', () => '3000', 3_000_000],
    [503, 'two hours', () => '7200', HOUR_MS],
    [429, 'a time two hours ahead', inTwoHours, HOUR_MS],
  ])('after %i waits as long as Retry-After asks, up to an hour: %s', async (status, _what, value, wait) => {
    await createWebhook(service, { user_id: user, url: receiver.url });
    receiver.respondWith({ status, headers: { 'Retry-After': value() } });
    const id = await trigger(service, user);
    const found = await triggerWhen(service, id, ({ attempt_count }) => attempt_count === 1);
    expect(Date.parse(found.next_attempt_at) - Date.parse(found.attempts[0].end)).toBe(wait);
  });
});
