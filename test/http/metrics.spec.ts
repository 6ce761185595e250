import { describe, expect, it } from '@jest/globals';
import { databases } from '../support/databases.js';
import { useReceiver, useService, useTestClock } from '../support/fixture.js';
import { finished, newUser, notify, trigger } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

describe.each(databases)('without a key, on $name,', (kind) => {
  const clock = useTestClock();
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '600' }, 'test');
  const receiver = useReceiver('test');

  const get = (path: string) => service.call('GET', path, undefined, { key: null });

  /** Resolves with the metrics once they have all these lines. */
  const metricsWith = (...lines: string[]) =>
    until(async () => {
      // Scrapes within five seconds share one read.
      clock.advance(5000);
      const { text } = await get('/metrics');
      const found = text.split('\n');
      return lines.every((line) => found.includes(line)) && text;
    });

  it('readiness says that the database answers, is migrated, and deliveries run', async () => {
    expect(await get('/health/ready')).toMatchObject({
      status: 200,
      body: { status: 'ok', checks: { database: 'ok', migrations: 'ok', delivery: 'ok' } },
    });
  });

  it('metrics count accepted notifications, and attempts by outcome, and name no webhook, user or URL', async () => {
    const user = newUser();
    await createWebhook(service, { user_id: user, url: `${receiver.url}/ok` });
    await finished(service, await trigger(service, user));
    const text = await metricsWith(
      'webhook_attempts_total{trigger_status="SUCCEEDED",error="none"} 1',
      'webhook_notifications_accepted_total 1',
      'webhook_triggers_accepted_total 1',
      'webhook_attempt_duration_seconds_count 1',
      'webhook_accept_duration_seconds_count 1',
      'webhook_attempts_in_flight 0',
      'webhook_triggers_due 0',
      'webhook_oldest_due_seconds 0',
    );
    expect(text).not.toMatch(/user-|127\.0\.0\.1|[0-9a-f]{8}-[0-9a-f]{4}-7/);
  });

  it('metrics count webhooks in trouble, and what is not counted yet', async () => {
    const user = newUser();
    receiver.respondWith('/gone', { status: 410 });
    receiver.respondWith('/down', { status: 503 });
    for (const path of ['gone', 'down'])
      await createWebhook(service, { user_id: user, url: `${receiver.url}/${path}` });
    await notify(service, user);
    for (let made = 0; made < 2; made++) {
      const { id } = await createWebhook(service, { user_id: user });
      await service.query("UPDATE webhook SET enabled = 0, disabled_reason = 'failing' WHERE id = ?", [id]);
    }
    await metricsWith(
      'webhook_webhooks_failing 1',
      'webhook_webhooks_disabled{reason="gone"} 1',
      'webhook_webhooks_disabled{reason="failing"} 2',
      'webhook_statistics_pending 0',
      'webhook_instances 1',
      'webhook_retention_lag_seconds 0',
    );
  });
});
