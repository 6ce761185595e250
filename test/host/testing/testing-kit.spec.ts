import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventEmitter2 } from '@nestjs/event-emitter';
import { Test, type TestingModule } from '@nestjs/testing';
import { TriggerService, WebhookService } from '../../../src/index.js';
import { type MockedWebhooks, mockWebhooks, startLocalReceiver } from '../../../src/module/testing/index.js';
import { PATIENCE_MS, until } from '../../support/until.js';
import { database, emitter, webhookModule } from '../application.js';
import { useKeptLog } from '../use-host.js';

const HOOKS = 'https://crm.internal/hooks';
const record = { id: 'rec_1', score: 7, analysis: [{ id: 'ana_1', status: 'VALID' }] };

const build = () => Test.createTestingModule({ imports: [emitter(), database(), webhookModule()] });

const create = (app: TestingModule, user: string, fields: object = {}) =>
  app
    .get(WebhookService, { strict: false })
    .create(user, { name: 'w', url: HOOKS, events: ['RECORD_FINISHED'], ...fields });

const finish = (app: TestingModule, user = 'ada', id = 'rec_1') =>
  app.get(EventEmitter2).emitAsync('record.finished', { user_id: user, record: { ...record, id } });

describe('an application with mocked webhooks', () => {
  const log = useKeptLog();
  let app: TestingModule;
  let mocked: MockedWebhooks;

  beforeEach(async () => {
    const builder = build().setLogger(log);
    mocked = mockWebhooks(builder);
    app = await builder.compile();
  });
  afterEach(() => app.close());

  const idle = () => mocked.idle(app, PATIENCE_MS);

  describe('that was initialised', () => {
    beforeEach(async () => {
      await app.init();
      await create(app, 'ada');
    });

    const succeeded = async () => {
      const triggers = app.get(TriggerService, { strict: false });
      return (await triggers.list('ada', { limit: 20, status: 'SUCCEEDED' })).data;
    };

    it('delivers without a network', async () => {
      await finish(app);
      const delivered = await mocked.expectDelivered({
        eventKind: 'RECORD_FINISHED',
        url: HOOKS,
        data: { analysis: [{ status: 'VALID' }] },
      });
      expect(delivered.headers['webhook-signature']).toMatch(/^v1,/);
      expect(delivered).toMatchObject({ attempt: 1, payload: { data: record } });
      await idle();
      expect(mocked.transport.delivered).toHaveLength(1);
    });

    it('gives an access token to whom wants one, and counts that as no delivery', async () => {
      const tokenUrl = 'https://login.internal/token';
      const authentication = { type: 'oauth2', tokenUrl, clientId: 'a', clientSecret: 'b' };
      await create(app, 'bea', { authentication });
      await finish(app, 'bea');
      const { headers } = await mocked.expectDelivered({ url: HOOKS });
      expect(headers.authorization).toBe('Bearer test-token');
      await idle();
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
      await finish(app);
      await idle();
      await expect(mocked.expectDelivered(expected, 1)).rejects.toThrow(
        /Not delivered: .*Delivered were:\n {2}RECORD_FINISHED to https:\/\/crm\.internal\/hooks, attempt 1: /,
      );
    });

    it('says so when nothing was delivered', async () => {
      await finish(app, 'nobody');
      await idle();
      await expect(mocked.expectDelivered({}, 1)).rejects.toThrow('Nothing was delivered.');
    });

    it('retries when the clock reaches the time, and not before', async () => {
      mocked.transport.answerWith(({ attempt }) => (attempt === 1 ? 'timeout' : 204));
      await finish(app);
      await mocked.expectDelivered({ attempt: 1 });
      await idle();
      expect(mocked.transport.delivered).toHaveLength(1);
      mocked.clock.advance(10_000);
      await mocked.expectDelivered({ attempt: 2 });
      await idle();
      expect(await succeeded()).toMatchObject([{ attemptCount: 2 }]);
    });

    it('is idle while a receiver is paused after failures, and goes on when the clock moves', async () => {
      mocked.transport.answerWith('connection_refused');
      await Promise.all(Array.from({ length: 20 }, () => finish(app)));
      await idle();
      // After five failures in a row the receiver is paused, and the others wait.
      expect(mocked.transport.delivered.length).toBeLessThan(20);
      mocked.transport.answerWith(200);
      mocked.clock.advance(60_000);
      await idle();
      expect(await succeeded()).toHaveLength(20);
    });

    it('forgets deliveries and answers between tests that share an application', async () => {
      mocked.transport.answerWith(500);
      await finish(app);
      await idle();
      mocked.transport.reset();
      expect(mocked.transport.delivered).toEqual([]);
      await finish(app);
      await idle();
      expect(await succeeded()).toHaveLength(1);
    });
  });

  it('tells to call app.init() when that was forgotten', async () => {
    const message = 'call "await app.init()" after "compile()"';
    await expect(idle()).rejects.toThrow(message);
    await expect(mocked.expectDelivered({}, 1)).rejects.toThrow(message);
    await create(await app.init(), 'ada');
    await finish(app);
    await mocked.expectDelivered({ eventKind: 'RECORD_FINISHED' });
  });

  // A shutdown waits by the clock of the application, which stands still here: it must not need to.
  it.each<[string, () => Promise<unknown>]>([
    ['before it was initialised', async () => {}],
    ['before anything was delivered', () => app.init()],
    ['while deliveries are under way', initAndFinish],
    [
      'while a retry waits',
      async () => {
        mocked.transport.answerWith(503);
        await initAndFinish();
        await idle();
      },
    ],
    ['twice', async () => (await app.init()).close()],
  ])('closes without a wait and without a warning, %s', async (_, before) => {
    await before();
    await app.close();
    expect(log.entries).toEqual([]);
  });

  async function initAndFinish(): Promise<void> {
    await create(await app.init(), 'ada');
    await finish(app);
  }
});

it('the local receiver accepts only requests signed with a trusted secret', async () => {
  const receiver = await startLocalReceiver();
  const app = await build().compile();
  await app.init();
  const { secret } = await create(app, 'ada', { url: `${receiver.url}/hooks` });
  await finish(app, 'ada', 'untrusted');
  await until(() => receiver.refused === 1);
  await expect(receiver.next(1)).rejects.toThrow('Nothing arrived within 1 ms.');
  receiver.trust(secret);
  await finish(app);
  expect(await receiver.next(PATIENCE_MS)).toMatchObject({ path: '/hooks', payload: { data: record } });
  await app.close();
  await receiver.close();
});
