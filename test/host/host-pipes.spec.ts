import { beforeAll, describe, expect, it } from '@jest/globals';
import { type PipeTransform, StandardSchemaValidationPipe } from '@nestjs/common';
import { APP_PIPE } from '@nestjs/core';
import { WebhookService } from '../../src/index.js';
import { expectProblem, NO_ID } from '../support/api.js';
import { SQLITE } from '../support/databases.js';
import { webhookModule } from './application.js';
import { ADAPTERS, useHost, useKeptLog } from './use-host.js';

const lower = (value: unknown): unknown => {
  if (typeof value === 'string') return value.toLowerCase();
  if (typeof value !== 'object' || value === null) return value;
  for (const [name, item] of Object.entries(value)) Object.assign(value, { [name]: lower(item) });
  return value;
};
const PIPES: Record<string, (value: unknown) => unknown> = {
  'changes all texts where they are': lower,
  'makes everything anew': (value) =>
    typeof value === 'object' && value !== null ? lower({ ...value }) : lower(value),
};

describe.each(ADAPTERS)("a host's global pipe, with %s", (adapter) => {
  describe.each(Object.entries(PIPES))('that %s', (_, transform) => {
    const log = useKeptLog();
    const pipe: PipeTransform = { transform };
    const host = useHost(SQLITE, {
      adapter,
      logger: log,
      webhooks: webhookModule({ principal: ({ headers }) => ({ userId: String(headers['x-user']) }) }),
      providers: [{ provide: APP_PIPE, useValue: pipe }],
    });
    const list = (user: string) =>
      host.call('GET', '/v1/webhook/list', undefined, { headers: { 'x-user': user } });

    beforeAll(() => host.get(WebhookService).create('ada', { name: 'w', url: 'https://example.com/' }));

    it("gives nobody another user's webhooks", async () => {
      const answer = await list('ADA');
      expect(answer.text).not.toContain('example.com');
      if (answer.status === 200) expect(answer.body.data).toEqual([]);
      else expect(log.entries.flat().join()).toMatch(/A global pipe replaced the caller; it must return/);
    });
  });

  describe("that is Nest's own for schemas", () => {
    const host = useHost(SQLITE, {
      adapter,
      webhooks: webhookModule({ principal: () => ({ userId: 'ada' }) }),
      providers: [
        { provide: APP_PIPE, useValue: new StandardSchemaValidationPipe({ validateCustomDecorators: true }) },
      ],
    });

    it('leaves what it validates to the webhooks', async () => {
      for (const path of ['/v1/webhook/list?limit=3', '/v1/webhook/trigger/list', '/v1/notification/list'])
        expect((await host.call('GET', path)).status).toBe(200);
      expectProblem(await host.call('GET', '/v1/webhook/list?limit=x&a=b'), 400, 'validation_failed', [
        '?limit',
        '?a',
      ]);
      const body = { id: NO_ID, more: 1 };
      expectProblem(await host.call('POST', '/v1/webhook/secret/rotate', body), 400, 'validation_failed', [
        '/more',
      ]);
    });
  });
});
