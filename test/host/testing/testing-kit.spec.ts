import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConsoleLogger, type INestApplication, Module } from '@nestjs/common';
import { EventEmitter2, EventEmitterModule } from '@nestjs/event-emitter';
import { Test, type TestingModule } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { TriggerService, WebhookModule, WebhookService } from '../../../src/index.js';
import { type MockedWebhooks, mockWebhooks, startLocalReceiver } from '../../../src/module/testing/index.js';
import { HOST_KEYS, hostDataSource } from '../../support/host.js';
import { PATIENCE_MS, until } from '../../support/until.js';

@Module({
  imports: [
    EventEmitterModule.forRoot(),
    TypeOrmModule.forRoot(hostDataSource('sqlite::memory:')),
    WebhookModule.forRoot({ encryptionKeys: HOST_KEYS }),
  ],
})
class HostModule {}

const record = { id: 'rec_1', score: 7, analysis: [{ id: 'ana_1', status: 'VALID' }] };

describe('the testing kit', () => {
  let app: INestApplication;
  let mocked: MockedWebhooks;
  let emitter: EventEmitter2;

  beforeEach(async () => {
    const builder = Test.createTestingModule({ imports: [HostModule] });
    mocked = mockWebhooks(builder);
    app = (await builder.compile()).createNestApplication({ logger: false });
    await app.init();
    emitter = app.get(EventEmitter2);
    await app.get(WebhookService, { strict: false }).create('ada', {
      name: 'w',
      url: 'https://crm.internal/hooks',
      events: ['RECORD_FINISHED'],
    });
  });
  afterEach(() => app.close());

  const finish = () => emitter.emitAsync('record.finished', { user_id: 'ada', record });

  it('delivers without a network', async () => {
    await finish();
    const delivered = await mocked.expectDelivered({
      eventKind: 'RECORD_FINISHED',
      url: 'https://crm.internal/hooks',
      data: { analysis: [{ status: 'VALID' }] },
    });
    expect(delivered.headers['webhook-signature']).toMatch(/^v1,/);
    expect(delivered).toMatchObject({ attempt: 1, payload: { data: record } });
    await mocked.idle(app, PATIENCE_MS);
    expect(mocked.transport.delivered).toHaveLength(1);
  });

  it('gives an access token to whom wants one, and counts that as no delivery', async () => {
    const authentication = {
      type: 'oauth2' as const,
      tokenUrl: 'https://login.internal/token',
      clientId: 'a',
      clientSecret: 'b',
    };
    await app.get(WebhookService, { strict: false }).create('bea', {
      name: 'w',
      url: 'https://crm.internal/bea',
      events: ['RECORD_FINISHED'],
      authentication,
    });
    await emitter.emitAsync('record.finished', { user_id: 'bea', record });
    const { headers } = await mocked.expectDelivered({ url: 'https://crm.internal/bea' });
    expect(headers.authorization).toBe('Bearer test-token');
    await mocked.idle(app, PATIENCE_MS);
    expect(mocked.transport.delivered).toHaveLength(1);
  });

  it.each([
    { eventKind: 'STATUS_CHANGED' as const },
    { url: 'https://elsewhere.example/' },
    { attempt: 2 },
    { data: { score: 8 } },
    { data: { analysis: [] } },
    { data: { missing: undefined, score: {} } },
  ])('lists the deliveries when none matches %j', async (expected) => {
    await finish();
    await mocked.idle(app, PATIENCE_MS);
    await expect(mocked.expectDelivered(expected, 1)).rejects.toThrow(
      /Not delivered: .*Delivered were:\n {2}RECORD_FINISHED to https:\/\/crm\.internal\/hooks, attempt 1: /,
    );
  });

  it('says so when nothing was delivered', async () => {
    await emitter.emitAsync('record.finished', { user_id: 'nobody', record });
    await mocked.idle(app, PATIENCE_MS);
    await expect(mocked.expectDelivered({}, 1)).rejects.toThrow('Nothing was delivered.');
  });

  it('retries when the clock reaches the time, and not before', async () => {
    mocked.transport.answerWith(({ attempt }) => (attempt === 1 ? 'timeout' : 204));
    await finish();
    await mocked.expectDelivered({ attempt: 1 });
    await mocked.idle(app, PATIENCE_MS);
    expect(mocked.transport.delivered).toHaveLength(1);
    mocked.clock.advance(10_000);
    await mocked.expectDelivered({ attempt: 2 });
    await mocked.idle(app, PATIENCE_MS);
    const { data } = await app.get(TriggerService, { strict: false }).list('ada', { limit: 10 });
    expect(data).toMatchObject([{ status: 'SUCCEEDED', attemptCount: 2 }]);
  });

  it('is idle while a receiver is paused after failures, and goes on when the clock moves', async () => {
    mocked.transport.answerWith('connection_refused');
    await Promise.all(Array.from({ length: 20 }, finish));
    await mocked.idle(app, PATIENCE_MS);
    // After five failures in a row the receiver is paused, and the others wait.
    expect(mocked.transport.delivered.length).toBeLessThan(20);
    mocked.transport.answerWith(200);
    mocked.clock.advance(60_000);
    await mocked.idle(app, PATIENCE_MS);
    const succeeded = await app
      .get(TriggerService, { strict: false })
      .list('ada', { limit: 20, status: 'SUCCEEDED' });
    expect(succeeded.data).toHaveLength(20);
  });

  it('forgets deliveries and answers between tests that share an application', async () => {
    mocked.transport.answerWith(500);
    await finish();
    await mocked.idle(app, PATIENCE_MS);
    mocked.transport.reset();
    expect(mocked.transport.delivered).toEqual([]);
    await finish();
    await mocked.idle(app, PATIENCE_MS);
    const { data } = await app
      .get(TriggerService, { strict: false })
      .list('ada', { limit: 5, status: 'SUCCEEDED' });
    expect(data).toHaveLength(1);
  });
});

describe('an application under test', () => {
  const printed: unknown[] = [];
  class Kept extends ConsoleLogger {
    override warn(...all: [unknown]): void {
      printed.push(all);
    }
    override error(...all: [unknown]): void {
      printed.push(all);
    }
  }

  async function compiled(): Promise<{ app: TestingModule; mocked: MockedWebhooks }> {
    printed.length = 0;
    const builder = Test.createTestingModule({ imports: [HostModule] }).setLogger(
      new Kept({ logLevels: ['warn'] }),
    );
    const mocked = mockWebhooks(builder);
    return { app: await builder.compile(), mocked };
  }
  async function finish(app: TestingModule): Promise<void> {
    const webhook = { name: 'w', url: 'https://crm.internal/', events: ['RECORD_FINISHED' as const] };
    await app.get(WebhookService, { strict: false }).create('ada', webhook);
    await app.get(EventEmitter2).emitAsync('record.finished', { user_id: 'ada', record });
  }

  it('is told to call app.init() when it did not', async () => {
    const { app, mocked } = await compiled();
    const message = 'call "await app.init()" after "compile()"';
    await expect(mocked.idle(app, PATIENCE_MS)).rejects.toThrow(message);
    await expect(mocked.expectDelivered({}, 1)).rejects.toThrow(message);
    await finish(await app.init());
    await mocked.expectDelivered({ eventKind: 'RECORD_FINISHED' });
    await app.close();
  });

  // A shutdown waits by the clock of the application, which stands still here: it must not need to.
  it.each<[string, (app: TestingModule, mocked: MockedWebhooks) => Promise<unknown>]>([
    ['before it was initialised', async () => {}],
    ['before anything was delivered', (app) => app.init()],
    ['while deliveries are under way', async (app) => finish(await app.init())],
    [
      'while a retry waits',
      async (app, mocked) => {
        mocked.transport.answerWith(503);
        await finish(await app.init());
        await mocked.idle(app, PATIENCE_MS);
      },
    ],
    ['twice', async (app) => (await app.init()).close()],
  ])('closes without a wait and without a warning, %s', async (_, before) => {
    const { app, mocked } = await compiled();
    await before(app, mocked);
    await app.close();
    expect(printed).toEqual([]);
  });
});

describe('the local receiver', () => {
  it('accepts only requests signed with a trusted secret', async () => {
    const receiver = await startLocalReceiver();
    const builder = Test.createTestingModule({
      imports: [
        EventEmitterModule.forRoot(),
        TypeOrmModule.forRoot(hostDataSource('sqlite::memory:')),
        WebhookModule.forRoot({ encryptionKeys: HOST_KEYS, egress: { allowPrivateNetwork: true } }),
      ],
    });
    const app = (await builder.compile()).createNestApplication({ logger: false });
    await app.init();
    const created = await app.get(WebhookService, { strict: false }).create('ada', {
      name: 'w',
      url: `${receiver.url}/hooks`,
      events: ['RECORD_FINISHED'],
    });
    const emitter = app.get(EventEmitter2);
    await emitter.emitAsync('record.finished', { user_id: 'ada', record: { ...record, id: 'untrusted' } });
    await until(() => receiver.refused === 1);
    await expect(receiver.next(1)).rejects.toThrow('Nothing arrived within 1 ms.');
    receiver.trust(created.secret);
    await emitter.emitAsync('record.finished', { user_id: 'ada', record });
    expect(await receiver.next(PATIENCE_MS)).toMatchObject({ path: '/hooks', payload: { data: record } });
    await app.close();
    await receiver.close();
  });
});
