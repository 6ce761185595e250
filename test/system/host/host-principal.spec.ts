import { expect, it } from '@jest/globals';
import { webhookModule } from '../../host/application.js';
import { useHost } from '../../host/use-host.js';
import { SQLITE } from '../../support/databases.js';

const host = useHost(SQLITE, { webhooks: webhookModule({ principal: () => new Promise<never>(() => {}) }) });

it('the principal that a host returns is told from the database when it does not answer', async () => {
  const late = await host.call('GET', '/v1/webhook/list');
  expect(late).toMatchObject({ status: 503, body: { code: 'caller_unknown' } });
  expect(late.headers.get('retry-after')).toBe('5');
});
