import { describe, expect, it } from '@jest/globals';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { finished, newUser, trigger } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

describe.each(databases)('metrics on $name', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '600' });
  const receiver = useReceiver();

  const scrape = async () => (await service.call('GET', '/metrics', undefined, { key: null })).text;

  it('count accepted notifications, and attempts by outcome', async () => {
    const user = newUser();
    await createWebhook(service, { user_id: user, url: `${receiver.url}/ok` });
    await finished(service, await trigger(service, user));
    const text = await until(async () => {
      const found = await scrape();
      return found.includes('webhook_attempts_total{trigger_status="SUCCEEDED",error="none"} 1') && found;
    });
    expect(text).toContain('webhook_notifications_accepted_total 1');
    expect(text).toContain('webhook_triggers_accepted_total 1');
    expect(text).toContain('webhook_attempt_duration_seconds_count 1');
    expect(text).toContain('webhook_accept_duration_seconds_count 1');
    expect(text).toContain('webhook_attempts_in_flight 0');
    expect(text).toContain('webhook_triggers_due 0');
    expect(text).toContain('webhook_oldest_due_seconds 0');
  });

  it('contain no webhook, user or URL', async () => {
    const text = await scrape();
    expect(text).not.toMatch(/user-|127\.0\.0\.1|[0-9a-f]{8}-[0-9a-f]{4}-7/);
  });
});
