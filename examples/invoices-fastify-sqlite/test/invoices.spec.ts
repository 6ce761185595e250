import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { DataSource } from 'typeorm';
import {
  type LifecyclePublisher,
  NotifierService,
  TriggerService,
  WebhookService,
} from 'webhook-notification-service';
import { type MockedWebhooks, mockWebhooks, startLocalReceiver } from 'webhook-notification-service/testing';
import { AppModule } from '../src/app.module.js';
import type { Invoice } from '../src/invoice.entity.js';

const testModule = () => Test.createTestingModule({ imports: [AppModule] });

async function start(builder: ReturnType<typeof testModule>): Promise<NestFastifyApplication> {
  const module = await builder.compile();
  const app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { logger: false });
  return app.init();
}

const subscribe = (app: NestFastifyApplication, url = 'https://books.example/hooks') =>
  app.get(WebhookService).create('ada', { name: 'books', url, events: ['INVOICE_PAID'] });

async function post(app: NestFastifyApplication, url: string, payload: object = {}) {
  const response = await app.inject({ method: 'POST', url, payload });
  return { status: response.statusCode, body: response.json() };
}
const issue = async (app: NestFastifyApplication): Promise<Invoice> =>
  (await post(app, '/invoices', { user_id: 'ada', analyses: 20 })).body;

describe('with mocked webhooks', () => {
  let app: NestFastifyApplication;
  let mocked: MockedWebhooks;

  beforeEach(async () => {
    const builder = testModule();
    mocked = mockWebhooks(builder);
    app = await start(builder);
    await subscribe(app);
  });
  afterEach(() => app.close());

  it('notifies once of a paid invoice', async () => {
    const { id } = await issue(app);
    assert.equal((await post(app, `/invoices/${id}/payment`)).status, 201);
    assert.equal((await post(app, `/invoices/${id}/payment`)).status, 409);
    const { payload } = await mocked.expectDelivered({ eventKind: 'INVOICE_PAID', data: { id } });
    assert.equal(payload.data.total_cents, 4000);
    await mocked.idle(app);
    assert.equal(mocked.transport.delivered.length, 1);
  });

  it('notifies of a committed change, and not of one that rolls back', async () => {
    const notifier = app.get(NotifierService);
    const invoice = { analyses: 1, total_cents: 200, paid_at: '2026-11-21T10:15:30.123Z' };
    const payWithin = (id: string, end: () => void) =>
      app.get(DataSource).transaction(async (manager) => {
        const event = { user_id: 'ada', record: { id, ...invoice } };
        await notifier.notify('invoice.paid', event, { manager });
        end();
      });
    const lost = payWithin('lost', () => {
      throw new Error('rolled back');
    });
    await assert.rejects(lost, { message: 'rolled back' });
    await payWithin('kept', () => {});
    await mocked.expectDelivered({ data: { id: 'kept' } });
    await mocked.idle(app);
    const ids = mocked.transport.delivered.map(({ payload }) => payload.data.id);
    assert.deepEqual(ids, ['kept']);
  });

  it('retries when the receiver failed', async () => {
    mocked.transport.answerWith(({ attempt }) => (attempt === 1 ? 'timeout' : 200));
    const { id } = await issue(app);
    await post(app, `/invoices/${id}/payment`);
    await mocked.expectDelivered({ attempt: 1 });
    await mocked.idle(app);
    assert.equal(mocked.transport.delivered.length, 1);
    mocked.clock.advance(10_000);
    await mocked.expectDelivered({ attempt: 2, data: { id } });
    await mocked.idle(app);
    const { data } = await app.get(TriggerService).list('ada', { limit: 1 });
    assert.deepEqual([data[0]?.status, data[0]?.attemptCount, data[0]?.error], ['SUCCEEDED', 2, null]);
  });

  it('has no REST API', async () => {
    assert.equal((await post(app, '/v1/webhook')).status, 404);
  });
});

it('delivers signed requests over HTTP', async (test) => {
  const receiver = await startLocalReceiver();
  test.after(() => receiver.close());
  const app = await start(testModule());
  test.after(() => app.close());
  receiver.trust((await subscribe(app, `${receiver.url}/hooks`)).secret);
  const { id } = await issue(app);
  await post(app, `/invoices/${id}/payment`);
  const { path, payload } = await receiver.next();
  assert.deepEqual([path, payload.event_kind, payload.data.id], ['/hooks', 'INVOICE_PAID', id]);
  assert.equal(receiver.refused, 0);
});

/** Never called: that it compiles says that the compiler knows the kinds, their events and their records. */
export const unchecked = (
  publisher: LifecyclePublisher,
  webhooks: WebhookService,
  mocked: MockedWebhooks,
) => [
  // @ts-expect-error: there is no such kind
  webhooks.create('ada', { name: 'w', url: 'https://books.example', events: ['INVOICE_LOST'] }),
  // @ts-expect-error: there is no such kind
  mocked.expectDelivered({ eventKind: 'INVOICE_LOST' }),
  // @ts-expect-error: there is no such event
  publisher.publish('invoice.lost', { user_id: 'ada', record: { id: '1' } }),
  // @ts-expect-error: a record of this kind has more fields
  publisher.publish('invoice.paid', { user_id: 'ada', record: { id: '1' } }),
];
