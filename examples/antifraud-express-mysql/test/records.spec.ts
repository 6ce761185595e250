import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { DataSource } from 'typeorm';
import { type MockedWebhooks, mockWebhooks, startLocalReceiver } from 'webhook-notification-service/testing';
import { AppModule, addDocs } from '../src/app.module.js';
import { AuditEntity } from '../src/webhook-audit.js';

const testModule = () => Test.createTestingModule({ imports: [AppModule] });

async function start(builder: ReturnType<typeof testModule>): Promise<INestApplication> {
  const app = (await builder.compile()).createNestApplication({ logger: false });
  addDocs(app);
  await app.listen(0, '127.0.0.1');
  return app;
}

const WEBHOOK = '/integrations/v1/webhook';

let app: INestApplication;

async function call(method: string, path: string, body?: object, user = 'ada') {
  const response = await fetch((await app.getUrl()) + path, {
    method,
    headers: { authorization: `Bearer token-of-${user}`, 'content-type': 'application/json' },
    body: body ? JSON.stringify(body) : null,
  });
  return { status: response.status, body: await response.json() };
}

async function subscribe(events: string[], url = 'https://crm.example/hooks') {
  const { status, body } = await call('POST', WEBHOOK, { name: 'crm', url, events });
  assert.equal(status, 201);
  return body;
}

/** A record with two analyses, and a function that finishes some of them. */
async function createRecord() {
  const { body } = await call('POST', '/records', { name: 'Acme', analyses: ['identity', 'sanctions'] });
  const [first, second]: string[] = body.analyses.map(({ id }: { id: string }) => id);
  const finish = (...ids: (string | undefined)[]) =>
    call('POST', `/records/${body.id}/results`, { results: ids.map((id) => ({ id, status: 'VALID' })) });
  return { id: body.id as string, first, second, finish };
}

describe('with mocked webhooks', () => {
  let mocked: MockedWebhooks;
  let webhook: { id: string };

  beforeEach(async () => {
    const builder = testModule();
    mocked = mockWebhooks(builder);
    app = await start(builder);
    webhook = await subscribe(['ANALYSIS_FINISHED', 'RECORD_FINISHED', 'STATUS_CHANGED']);
  });
  afterEach(async () => {
    // The tests share the database: the next one must receive only its own records.
    await call('DELETE', `${WEBHOOK}?id=${webhook.id}`);
    await app.close();
  });

  const kinds = () => mocked.transport.delivered.map(({ payload }) => payload.event_kind);

  it('notifies of each analysis that finishes, and of the record when all have finished', async () => {
    const { id, first, second, finish } = await createRecord();
    await finish(first);
    const analysis = { eventKind: 'ANALYSIS_FINISHED', data: { id, analysis: [{ id: first }] } } as const;
    await mocked.expectDelivered(analysis);
    await mocked.idle(app);
    assert.deepEqual(kinds(), ['ANALYSIS_FINISHED']);
    await finish(second);
    await mocked.expectDelivered({ eventKind: 'RECORD_FINISHED', data: { id, analysis: [{}, {}] } });
    await call('PATCH', `/records/${id}`, { status: 'APPROVED' });
    await mocked.expectDelivered({ eventKind: 'STATUS_CHANGED', data: { id, status: 'APPROVED' } });
  });

  it('notifies once of a record whose last analyses finish at the same time', async () => {
    const { first, second, finish } = await createRecord();
    await Promise.all([finish(first), finish(second)]);
    await mocked.idle(app);
    assert.deepEqual(kinds().sort(), ['ANALYSIS_FINISHED', 'ANALYSIS_FINISHED', 'RECORD_FINISHED']);
  });

  it('sends nothing for a transaction that was rolled back', async () => {
    const { first, finish } = await createRecord();
    assert.equal((await finish(first, 'unknown')).status, 404);
    await mocked.idle(app);
    assert.deepEqual(kinds(), []);
  });

  it('retries when the receiver failed', async () => {
    mocked.transport.answerWith(({ attempt }) => (attempt === 1 ? 503 : 200));
    const { first, finish } = await createRecord();
    await finish(first);
    await mocked.expectDelivered({ attempt: 1 });
    await mocked.idle(app);
    assert.equal(mocked.transport.delivered.length, 1);
    mocked.clock.advance(10_000);
    await mocked.expectDelivered({ attempt: 2 });
    await mocked.idle(app);
  });

  it('records a delivery that failed for good', { timeout: 10_000 }, async () => {
    mocked.transport.answerWith(410);
    const { first, finish } = await createRecord();
    await finish(first);
    const written = () => app.get(DataSource).manager.findBy(AuditEntity, { webhookId: webhook.id });
    // A listener writes it, a moment after the delivery.
    let entries = await written();
    while (entries.length < 2) entries = await written();
    assert.deepEqual(entries.map(({ what }) => what).sort(), [
      'disabled: gone',
      'not delivered: http_status',
    ]);
  });

  it("shows each user's webhooks to that user only", async () => {
    const path = `${WEBHOOK}?id=${webhook.id}`;
    assert.equal((await call('GET', path)).status, 200);
    assert.equal((await call('GET', path, undefined, 'bob')).status, 404);
    assert.equal((await call('GET', path, undefined, 'nobody')).status, 401);
    // Users manage their webhooks, but only this application reports events.
    const report = { event_kind: 'RECORD_FINISHED', user_id: 'bob', record: { id: '1', analysis: [] } };
    assert.equal((await call('POST', '/integrations/v1/notification', report)).status, 403);
  });

  it('documents its own calls, those of the webhooks, and the requests to receivers', async () => {
    const { body } = await call('GET', '/docs-json');
    assert.ok(body.paths['/records/{id}/results'] && body.paths[WEBHOOK]);
    assert.deepEqual(Object.keys(body.webhooks).slice(0, 3), [
      'ANALYSIS_FINISHED',
      'RECORD_FINISHED',
      'STATUS_CHANGED',
    ]);
    assert.ok('WEBHOOK_DISABLED' in body.webhooks);
  });
});

it('delivers signed requests over HTTP', async (test) => {
  const receiver = await startLocalReceiver();
  test.after(() => receiver.close());
  app = await start(testModule());
  test.after(() => app.close());
  const webhook = await subscribe(['ANALYSIS_FINISHED'], `${receiver.url}/hooks`);
  receiver.trust(webhook.secret);
  const { id, first, finish } = await createRecord();
  await finish(first);
  const { path, payload } = await receiver.next();
  assert.deepEqual([path, payload.event_kind, payload.data.id], ['/hooks', 'ANALYSIS_FINISHED', id]);
  assert.equal(receiver.refused, 0);
  await call('DELETE', `${WEBHOOK}?id=${webhook.id}`);
});
