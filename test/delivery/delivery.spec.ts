import { beforeEach, describe, expect, it } from '@jest/globals';
import { EventEmitter2 } from '@nestjs/event-emitter';
import { Webhook } from 'standardwebhooks';
import { DataSource } from 'typeorm';
import type { WebhookDisabled } from '../../src/engine/report/webhook-events.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { finished, newUser, trigger, triggerWhen } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe.each(databases)('delivery on $name', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '0.05,0.05,0.05,0.05' });
  const receiver = useReceiver('test');
  let user: string;

  beforeEach(() => {
    user = newUser();
  });

  const webhookOf = async (id: string) => (await service.call('GET', `/v1/webhook?id=${id}`)).body;
  const isRetried = ({ attempt_count, status }: { attempt_count: number; status: string }) =>
    attempt_count === 1 && status === 'PENDING';

  /** The next `webhook.disabled` event for this webhook. */
  function disabledEvent(webhookId: string): Promise<WebhookDisabled> {
    const emitter = service.app.get(EventEmitter2);
    return new Promise((resolve) => {
      const hear = (event: WebhookDisabled) => {
        if (event.webhook_id !== webhookId) return;
        emitter.off('webhook.disabled', hear);
        resolve(event);
      };
      emitter.on('webhook.disabled', hear);
    });
  }

  it('succeeds with the fourth attempt when three have failed', async () => {
    const { secret } = await createWebhook(service, { user_id: user, url: receiver.url });
    receiver.respondWith(['reset', 'close', { status: 503 }, { status: 200, body: 'thanks' }]);
    const found = await finished(service, await trigger(service, user));
    expect(receiver.requests.map(({ headers }) => headers['webhook-attempt'])).toEqual(['1', '2', '3', '4']);
    for (const { headers, body } of receiver.requests) {
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

  it('sends a succeeded trigger again on request', async () => {
    await createWebhook(service, { user_id: user, url: receiver.url });
    const id = await trigger(service, user);
    await finished(service, id);
    await service.call('POST', '/v1/webhook/trigger/retry', { id });
    await triggerWhen(
      service,
      id,
      ({ attempt_count, status }) => attempt_count === 2 && status === 'SUCCEEDED',
    );
    expect(receiver.requests).toHaveLength(2);
  });

  it('disables a webhook that answers 410, and emits webhook.disabled', async () => {
    const { id } = await createWebhook(service, { user_id: user, url: receiver.url });
    receiver.respondWith({ status: 410 });
    const emitted = disabledEvent(id);
    expect(await finished(service, await trigger(service, user))).toMatchObject({
      status: 'FAILED',
      attempt_count: 1,
      error: { code: 'http_status' },
    });
    expect(await emitted).toEqual({ webhook_id: id, user_id: user, reason: 'gone' });
    expect(await webhookOf(id)).toMatchObject({ enabled: false, disabled_reason: 'gone' });
  });

  it('forgets past failures once a webhook works again', async () => {
    const { id } = await createWebhook(service, { user_id: user, url: receiver.url });
    await failingSince(id, Date.now() - 6 * DAY_MS);
    await finished(service, await trigger(service, user));
    await until(async () => (await failureOf(id)) === null);
    receiver.respondWith({ status: 500 });
    await finished(service, await trigger(service, user));
    expect(await webhookOf(id)).toMatchObject({ enabled: true });
  });

  it.each([
    [429, '2', 2_000],
    [503, '3000', 3_000_000],
    [503, '7200', HOUR_MS],
    [429, new Date(Date.now() + 2 * HOUR_MS).toUTCString(), HOUR_MS],
  ])('after %i waits as long as Retry-After %s asks, up to an hour', async (status, value, wait) => {
    await createWebhook(service, { user_id: user, url: receiver.url });
    receiver.respondWith({ status, headers: { 'Retry-After': value } });
    const found = await triggerWhen(service, await trigger(service, user), isRetried);
    expect(Date.parse(found.next_attempt_at) - Date.parse(found.attempts[0].end)).toBe(wait);
  });

  it('ignores Retry-After in other answers', async () => {
    await createWebhook(service, { user_id: user, url: receiver.url });
    receiver.respondWith({ status: 500, headers: { 'Retry-After': '3000' } });
    expect(await finished(service, await trigger(service, user))).toMatchObject({ attempt_count: 5 });
  });

  it('sends later attempts to the new URL of the webhook', async () => {
    const { id } = await createWebhook(service, { user_id: user, url: `${receiver.url}/old` });
    receiver.respondWith('/old', { status: 429, headers: { 'Retry-After': '1' } });
    const triggerId = await trigger(service, user);
    await triggerWhen(service, triggerId, isRetried);
    await service.call('PATCH', '/v1/webhook', { id, url: `${receiver.url}/new` });
    const found = await finished(service, triggerId);
    expect(found).toMatchObject({ status: 'SUCCEEDED', request_data: { url: `${receiver.url}/new` } });
    expect(receiver.requests.map(({ path }) => path)).toEqual(['/old', '/new']);
  });

  it('follows no redirects', async () => {
    await createWebhook(service, { user_id: user, url: receiver.url });
    receiver.respondWith({ status: 302, headers: { Location: `${receiver.url}/elsewhere` } });
    expect(await finished(service, await trigger(service, user))).toMatchObject({
      error: { code: 'redirect' },
      response_data: { status: 302 },
    });
    expect(new Set(receiver.requests.map(({ path }) => path))).toEqual(new Set(['/']));
  });

  async function failingSince(id: string, time: number): Promise<void> {
    await service.app.get(DataSource).query('UPDATE webhook SET failing_since = ? WHERE id = ?', [time, id]);
    // Makes the engine read the row again.
    await service.call('PATCH', '/v1/webhook', { id, name: 'changed' });
  }
  async function failureOf(id: string): Promise<unknown> {
    const [row] = await service.app
      .get(DataSource)
      .query('SELECT failing_since FROM webhook WHERE id = ?', [id]);
    return row.failing_since;
  }
});
