import { describe, expect, it } from '@jest/globals';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { IntakeHandler, NotifierService, WebhookModule, WebhookService } from '../../../src/index.js';
import { TestClock } from '../../../src/module/testing/index.js';
import { databases } from '../../support/databases.js';
import { useDatabase } from '../../support/fixture.js';
import { HOST_KEYS, type Host, hostDataSource, startHost } from '../../support/host.js';
import { FaultyProxy } from '../../support/proxy.js';
import { newUser, record } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { describeWithRabbitmq, useBroker } from '../support/rabbitmq.js';

const settings = { encryptionKeys: HOST_KEYS, egress: { allowPrivateNetwork: true } };

describe.each(databases)('an application with the module, on $name', (kind) => {
  const database = useDatabase(kind, 'test');

  async function start(
    webhooks: ReturnType<typeof WebhookModule.forRoot>,
    url = database.url,
  ): Promise<Host> {
    const host = await startHost({
      adapter: 'Fastify',
      database: TypeOrmModule.forRoot(hostDataSource(url)),
      webhooks,
    });
    database.defer(() => host.app.close());
    return host;
  }

  it('hands over messages of a consumer of its own', async () => {
    const { app } = await start(WebhookModule.forRoot({ ...settings, intake: { userId: 'ada' } }));
    const handler = app.get(IntakeHandler, { strict: false });
    await app.get(WebhookService, { strict: false }).create('ada', {
      name: 'one',
      url: 'http://127.0.0.1:49151/hooks',
      events: ['RECORD_FINISHED'],
    });
    const body = Buffer.from(JSON.stringify({ event_kind: 'RECORD_FINISHED', user_id: 'ada', record }));
    const first = await handler.handle({ body, messageId: 'm-1' });
    expect(first).toMatchObject({
      outcome: 'stored',
      notification: { eventKind: 'RECORD_FINISHED', triggers: [{}], replayed: false },
    });
    const [notification] = 'notification' in first ? [first.notification] : [];
    expect(await handler.handle({ body, messageId: 'm-1' })).toEqual({
      outcome: 'duplicate',
      notification: { ...notification, replayed: true },
    });
    expect(await handler.handle({ body: Buffer.from('{}'), messageId: 'm-2' })).toMatchObject({
      outcome: 'refused',
      refusal: { code: 'validation_failed', errors: [{}, {}] },
    });
    expect(await handler.handle({ body, messageId: 'm-6', headers: null as never })).toMatchObject({
      outcome: 'stored',
    });
    for (const messageId of [null, undefined, ''])
      expect(await handler.handle({ body, messageId: messageId as never })).toMatchObject({
        outcome: 'refused',
        refusal: { code: 'message_id_required' },
      });
    expect(await handler.handle({ body, messageId: {} as never })).toMatchObject({
      outcome: 'refused',
      refusal: { code: 'validation_failed', errors: [{ pointer: 'message_id' }] },
    });
    const other = Buffer.from(String(body).replace('"ada"', '"bob"'));
    expect(await handler.handle({ body: other, messageId: 'm-3' })).toMatchObject({
      outcome: 'refused',
      refusal: { code: 'user_not_allowed' },
    });
    const [one, two] = await Promise.all([1, 2].map(() => handler.handle({ body, messageId: 'm-4' })));
    expect([one?.outcome, two]).toEqual([
      'stored',
      expect.objectContaining({ outcome: 'not_now', code: 'idempotency_key_in_use' }),
    ]);
    await app.close();
    expect(await handler.handle({ body, messageId: 'm-5' })).toMatchObject({
      outcome: 'not_now',
      code: 'shut_down',
    });
  });

  it('notifies once for a key', async () => {
    const { app } = await start(WebhookModule.forRoot(settings));
    const notifier = app.get(NotifierService, { strict: false });
    const event = { user_id: 'ada', record };
    const first = await notifier.notify('record.finished', event, { idempotencyKey: 'k' });
    expect(first.replayed).toBe(false);
    expect(await notifier.notify('record.finished', event, { idempotencyKey: 'k' })).toEqual({
      ...first,
      replayed: true,
    });
    const others = await Promise.all([
      notifier.notify('record.finished', { ...event, user_id: 'bob' }, { idempotencyKey: 'k' }),
      notifier.notify('record.finished', event),
    ]);
    expect(new Set([first, ...others].map(({ id }) => id)).size).toBe(3);
    await expect(
      notifier.notify('record.status_changed', event, { idempotencyKey: 'k' }),
    ).rejects.toMatchObject({ status: 422, code: 'idempotency_key_reused' });
    for (const idempotencyKey of ['', null, 7, {}])
      await expect(
        notifier.notify('record.finished', event, { idempotencyKey: idempotencyKey as never }),
      ).rejects.toMatchObject({ status: 400, errors: [{ pointer: 'idempotencyKey' }] });
    for (const options of [{}, { idempotencyKey: 'k' }])
      await expect(
        notifier.notify('record.finished', { user_id: 1n as never, record }, options),
      ).rejects.toMatchObject({ status: 400, errors: [{ pointer: '/user_id' }] });
    const odd = { ...event, analysis_id: 1n } as never;
    for (const options of [{}, { idempotencyKey: 'odd' }])
      expect(await notifier.notify('record.finished', odd, options)).toMatchObject({ replayed: false });
    await app.get(DataSource).transaction(async (manager) => {
      const both = { idempotencyKey: 'k', manager };
      await expect(notifier.notify('record.finished', event, both)).rejects.toMatchObject({
        errors: [{ pointer: 'idempotencyKey', message: expect.stringContaining('manager') }],
      });
    });
  });
});

describeWithRabbitmq.each(databases)('an application that consumes, on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  const broker = useBroker();

  async function start(url: string, clock?: TestClock): Promise<Host> {
    const intake = { url: broker.url, queue: broker.queue };
    const host = await startHost({
      adapter: 'Express',
      database: TypeOrmModule.forRoot(hostDataSource(url)),
      webhooks: WebhookModule.forRootAsync({
        useFactory: () => ({ ...settings, intake, ...(clock ? { clock } : {}) }),
      }),
    });
    database.defer(() => host.app.close());
    return host;
  }

  it('stores what comes', async () => {
    const { app } = await start(database.url);
    const userId = newUser();
    const webhooks = app.get(WebhookService, { strict: false });
    const url = 'http://127.0.0.1:49151/hooks';
    await webhooks.create(userId, { name: 'one', url, events: ['RECORD_FINISHED'] });
    await broker.send({ event_kind: 'RECORD_FINISHED', user_id: userId, record });
    const { TriggerService } = await import('../../../src/index.js');
    const triggers = app.get(TriggerService, { strict: false });
    await until(async () => (await triggers.list(userId, {})).data.length === 1, { what: 'a trigger' });
  });

  if (kind.name === 'SQLite') return;

  it('gives messages back once while the database is away for long, and then takes them all', async () => {
    const { proxy, url } = await FaultyProxy.before(database.url);
    database.defer(() => proxy.close());
    const clock = new TestClock();
    const { app } = await start(url, clock);
    const userId = newUser();
    await broker.consumers(1);
    proxy.refuse();
    const ids = Array.from({ length: 20 }, (_, n) => `${userId}-${n}`);
    for (const messageId of ids)
      await broker.send({ event_kind: 'RECORD_FINISHED', user_id: userId, record }, { messageId });
    await until(async () => (await broker.ready()) === 0, { what: 'all in hand' });
    await clock.advance(9 * 60_000);
    expect(await broker.ready()).toBe(0);
    await clock.advance(61_000);
    await broker.consumers(0);
    await until(async () => (await broker.ready()) === 20, { what: 'all given back' });
    proxy.heal();
    await until(async () => (await broker.ready()) === 0, { withinMs: 30_000, what: 'all taken' });
    await broker.consumers(1);
    const { NotificationService } = await import('../../../src/index.js');
    const list = () => app.get(NotificationService, { strict: false }).list(userId, { limit: 100 });
    await until(async () => (await list()).data.length === 20, { what: 'all stored' });
  }, 60_000);
});
