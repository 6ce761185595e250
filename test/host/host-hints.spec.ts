import { beforeEach, describe, expect, it } from '@jest/globals';
import { ConsoleLogger } from '@nestjs/common';
import { WebhookModule, WebhookService } from '../../src/index.js';
import { expectProblem } from '../support/api.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { HOST_KEYS } from '../support/host.js';
import { useHost } from './use-host.js';

describe('the log of a host', () => {
  const printed: string[] = [];

  class Kept extends ConsoleLogger {
    override log(): void {}
    override warn(message: unknown): void {
      printed.push(String(message));
    }
  }

  beforeEach(() => {
    printed.length = 0;
  });
  const host = useHost(databases[0] as TestDatabaseKind, {
    lifetime: 'test',
    adapter: 'Express',
    logger: new Kept(),
    webhooks: WebhookModule.forRoot({
      encryptionKeys: HOST_KEYS,
      principal: () => ({ userId: 'ada' }),
    }),
  });
  const webhooks = () => host.app.get(WebhookService, { strict: false });
  const hook = { name: 'mine', url: 'https://192.0.1.1/hooks' };

  it.each(['http://localhost:4000/hooks', 'http://127.0.0.1:4000/hooks', 'http://10.1.2.3/hooks'])(
    'names the option that allows %s, and the answer does not',
    async (url) => {
      const answer = await host.call('POST', '/v1/webhook', { ...hook, url });
      expectProblem(answer, 400, 'validation_failed', ['/url']);
      expect(answer.text).not.toContain('egress');
      await expect(webhooks().create('ada', { ...hook, url })).rejects.toThrow('is not a public one');
      // Once for both.
      expect(printed.filter((line) => line.includes('egress.allowedNetworks'))).toHaveLength(1);
      expect(printed[0]).toMatch(/egress\.allowPrivateNetwork.*ALLOWED_NETWORKS.*ALLOW_PRIVATE_NETWORK/);
    },
  );

  it('does not name it for what no option allows', async () => {
    await expect(webhooks().create('ada', { ...hook, url: 'ftp://127.0.0.1/' })).rejects.toThrow('http');
    expect(printed).toEqual([]);
  });

  it('says that a webhook without events gets nothing, unless that was asked for', async () => {
    const { id } = await webhooks().create('ada', hook);
    const put = await webhooks().put('ada', { ...hook, uid: 'mine' });
    expect(printed).toEqual([id, put.id].map((made) => expect.stringMatching(new RegExp(`${made}.*events`))));
    await webhooks().put('ada', { ...hook, uid: 'mine' });
    await webhooks().create('ada', { ...hook, events: [] });
    await webhooks().create('ada', { ...hook, events: ['RECORD_FINISHED'] });
    expect(printed).toHaveLength(2);
  });
});
