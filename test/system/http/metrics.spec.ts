import { describe, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { databases } from '../../support/databases.js';
import { useReceiver, useService } from '../../support/fixture.js';
import { newUser, notify } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';

describe.each(databases)('metrics on $name', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '600' });
  const receiver = useReceiver();

  const scrape = async () => (await service.call('GET', '/metrics', undefined, { key: null })).text;

  it('count webhooks in trouble, and what is not counted yet', async () => {
    const user = newUser();
    receiver.respondWith('/gone', { status: 410 });
    receiver.respondWith('/down', { status: 503 });
    for (const path of ['gone', 'down'])
      await createWebhook(service, { user_id: user, url: `${receiver.url}/${path}` });
    await notify(service, user);
    const failing = await createWebhook(service, { user_id: user });
    await service.app
      .get(DataSource)
      .query(`UPDATE webhook SET enabled = 0, disabled_reason = 'failing' WHERE id = '${failing.id}'`);
    const wanted = [
      'webhook_webhooks_failing 1',
      'webhook_webhooks_disabled{reason="gone"} 1',
      'webhook_webhooks_disabled{reason="failing"} 1',
      'webhook_statistics_pending 0',
      'webhook_instances 1',
      'webhook_retention_lag_seconds 0',
    ];
    // Scrapes within five seconds share one read.
    await until(
      async () => {
        const lines = (await scrape()).split('\n');
        return wanted.every((line) => lines.includes(line));
      },
      { withinMs: 15_000 },
    );
  }, 20_000);
});
