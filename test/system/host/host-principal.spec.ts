import { describe, expect, it } from '@jest/globals';
import { WebhookModule } from '../../../src/index.js';
import { useHost } from '../../host/use-host.js';
import { databases, type TestDatabaseKind } from '../../support/databases.js';
import { HOST_KEYS } from '../../support/host.js';

const [kind] = databases as [TestDatabaseKind];

describe('the principal that a host returns', () => {
  const webhooks = WebhookModule.forRoot({
    principal: () => new Promise<never>(() => {}),
    encryptionKeys: HOST_KEYS,
  });
  const host = useHost(kind, { adapter: 'Fastify', webhooks });

  it('is told from the database when it does not answer', async () => {
    const late = await host.call('GET', '/v1/webhook/list');
    expect(late).toMatchObject({ status: 503, body: { code: 'caller_unknown' } });
    expect(late.headers.get('retry-after')).toBe('5');
  });
});
