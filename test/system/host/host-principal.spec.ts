import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { LoggerService } from '@nestjs/common';
import { WebhookModule, WebhookService } from '../../../src/index.js';
import { useHost } from '../../host/use-host.js';
import { databases } from '../../support/databases.js';
import { HOST_KEYS } from '../../support/host.js';

const VICTIM = 'victim';
const LIST = '/v1/webhook/list';

describe.each(databases)('the principal that a host returns, on $name', (kind) => {
  let said: unknown;
  const logged: unknown[] = [];
  const note = (...all: unknown[]) => void logged.push(...all);
  const logger: LoggerService = { log: note, warn: note, error: note };

  const host = useHost(kind, {
    adapter: 'Fastify',
    logger,
    webhooks: WebhookModule.forRoot({
      principal: () => said as never,
      encryptionKeys: HOST_KEYS,
      rateLimitPerMinute: 0,
      egress: { allowPrivateNetwork: true },
    }),
  });

  beforeAll(async () => {
    const webhooks = host.app.get(WebhookService, { strict: false });
    await webhooks.create(VICTIM, { name: "the victim's", url: 'http://127.0.0.1:49151/' });
  });
  beforeEach(() => {
    logged.length = 0;
  });

  const ask = (principal: unknown) => {
    said = principal;
    return host.call('GET', LIST);
  };
  const text = () => logged.map((entry) => (entry instanceof Error ? entry.stack : String(entry))).join('\n');

  it('is told from the database when it does not answer, or cannot reach what it needs', async () => {
    const away = Object.assign(new Error('connect ECONNREFUSED 192.0.2.1:6379'), { code: 'ECONNREFUSED' });
    const failed = Promise.reject(away);
    failed.catch(() => {});
    const answer = {
      status: 503,
      body: { code: 'caller_unknown', detail: expect.not.stringContaining('192.0.2.1') },
    };
    expect(await ask(failed)).toMatchObject(answer);
    expect(text()).toMatch(/principal\(request\) cannot reach what it needs \(connect ECONNREFUSED/);
    const late = await ask(new Promise(() => {}));
    expect(late).toMatchObject(answer);
    expect(late.headers.get('retry-after')).toBe('5');
  }, 20_000);
});
