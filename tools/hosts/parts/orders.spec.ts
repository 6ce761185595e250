import { ok, strictEqual } from 'node:assert';
import { it } from 'node:test';
import { Test } from '@nestjs/testing';
import { WebhookService } from 'webhook-notification-service';
import { createWebhookClient } from 'webhook-notification-service/client';
import { webhookMigrations } from 'webhook-notification-service/migrations';
import { mockWebhooks } from 'webhook-notification-service/testing';
import { AppModule } from './app.module.js';
import { OrdersController } from './orders.controller.js';

it('notifies the CRM of a finished order', async () => {
  const builder = Test.createTestingModule({ imports: [AppModule] });
  const webhooks = mockWebhooks(builder);
  const app = await builder.compile();
  try {
    await app.init();
    const crm = { name: 'CRM', url: 'https://crm.example.com/hooks', events: ['RECORD_FINISHED' as const] };
    const { secret } = await app.get(WebhookService).create('ada', crm);
    ok(secret.startsWith('whsec_'));

    await app.get(OrdersController).finish({ id: 'ord_test' });
    const delivered = await webhooks.expectDelivered({ data: { id: 'ord_test' } }, 10_000);
    strictEqual(delivered.url, crm.url);
    strictEqual(delivered.attempt, 1);
  } finally {
    // A test runner waits for ever for an application that is still open.
    await app.close();
  }
});

it('finds every entry point of the package', () => {
  strictEqual(typeof createWebhookClient({ baseUrl: '', apiKey: '' }).GET, 'function');
  ok(webhookMigrations.length > 0);
});
