import { describe, expect, it } from '@jest/globals';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import {
  IntakeHandler,
  type NewWebhook,
  NotificationService,
  NotifierService,
  WebhookModule,
  WebhookService,
} from '../../../src/index.js';
import { TestClock } from '../../../src/module/testing/index.js';
import { useHost } from '../../host/use-host.js';
import { databases } from '../../support/databases.js';
import { useDatabase } from '../../support/fixture.js';
import { HOST_KEYS, hostDataSource, startHost } from '../../support/host.js';
import { proxied } from '../../support/proxy.js';
import { newUser, record } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { describeWithRabbitmq, useBroker } from '../support/rabbitmq.js';
import { reportOf } from './scene.js';

const settings = { encryptionKeys: HOST_KEYS, egress: { allowPrivateNetwork: true } };
const WEBHOOK: NewWebhook = { name: 'one', url: 'http://127.0.0.1:31151/hooks', events: ['RECORD_FINISHED'] };

describe.each(databases)('an application with the module, on $name', (kind) => {
  const webhooks = WebhookModule.forRoot({ ...settings, intake: { userId: 'ada' } });
  const host = useHost(kind, { lifetime: 'test', webhooks });

  it('hands over messages of a consumer of its own', async () => {
    const handler = host.get(IntakeHandler);
    await host.get(WebhookService).create('ada', WEBHOOK);
    const body = Buffer.from(JSON.stringify(reportOf('ada')));
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
    const withoutHeaders = { body, messageId: 'm-6', headers: null as never };
    expect(await handler.handle(withoutHeaders)).toMatchObject({ outcome: 'stored' });
    const invalid = { code: 'validation_failed', errors: [{}, {}] };
    const badId = { code: 'validation_failed', errors: [{ pointer: 'message_id' }] };
    const other = Buffer.from(String(body).replace('"ada"', '"bob"'));
    for (const [given, messageId, refusal] of [
      [Buffer.from('{}'), 'm-2', invalid],
      [body, null, { code: 'message_id_required' }],
      [body, undefined, { code: 'message_id_required' }],
      [body, '', { code: 'message_id_required' }],
      [body, {}, badId],
      [other, 'm-3', { code: 'user_not_allowed' }],
    ] as const)
      expect(await handler.handle({ body: given, messageId: messageId as never })).toMatchObject({
        outcome: 'refused',
        refusal,
      });
    const [one, two] = await Promise.all([1, 2].map(() => handler.handle({ body, messageId: 'm-4' })));
    expect([one?.outcome, two]).toEqual([
      'stored',
      expect.objectContaining({ outcome: 'not_now', code: 'idempotency_key_in_use' }),
    ]);
    await host.app.close();
    expect(await handler.handle({ body, messageId: 'm-5' })).toMatchObject({
      outcome: 'not_now',
      code: 'shut_down',
    });
  });

  it('notifies once for a key', async () => {
    const notifier = host.get(NotifierService);
    const event = { user_id: 'ada', record };
    const first = await notifier.notify('record.finished', event, { idempotencyKey: 'k' });
    expect(first.replayed).toBe(false);
    expect(await notifier.notify('record.finished', event, { idempotencyKey: 'k' })).toEqual({
      ...first,
      replayed: true,
    });
    const notified = (user_id: string, options?: object) =>
      notifier.notify('record.finished', { user_id, record }, options);
    const others = await Promise.all([notified('bob', { idempotencyKey: 'k' }), notified('ada')]);
    expect(new Set([first, ...others].map(({ id }) => id)).size).toBe(3);
    await expect(
      notifier.notify('record.status_changed', event, { idempotencyKey: 'k' }),
    ).rejects.toMatchObject({ status: 422, code: 'idempotency_key_reused' });
    const refusal = (pointer: string) => ({ status: 400, errors: [expect.objectContaining({ pointer })] });
    for (const idempotencyKey of ['', null, 7, {}])
      await expect(notified('ada', { idempotencyKey })).rejects.toMatchObject(refusal('idempotencyKey'));
    for (const options of [{}, { idempotencyKey: 'k' }])
      await expect(notified(1n as never, options)).rejects.toMatchObject(refusal('/user_id'));
    const odd = { ...event, analysis_id: 1n } as never;
    for (const options of [{}, { idempotencyKey: 'odd' }])
      expect(await notifier.notify('record.finished', odd, options)).toMatchObject({ replayed: false });
    await host.get(DataSource).transaction((manager) =>
      expect(notified('ada', { idempotencyKey: 'k', manager })).rejects.toMatchObject({
        errors: [{ pointer: 'idempotencyKey', message: expect.stringContaining('manager') }],
      }),
    );
  });
});

// On SQLite there is no connection to cut.
const away = databases.filter(({ name }) => name !== 'SQLite');
describeWithRabbitmq.each(away)('an application that consumes, on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  const broker = useBroker();

  it('gives messages back once while the database is away for long, and then takes them all', async () => {
    const { proxy, url } = await proxied(database);
    const clock = new TestClock();
    const intake = { url: broker.url, queue: broker.queue };
    const { app } = await startHost({
      adapter: 'Express',
      database: TypeOrmModule.forRoot(hostDataSource(url)),
      webhooks: WebhookModule.forRootAsync({ useFactory: () => ({ ...settings, intake, clock }) }),
    });
    database.defer(() => app.close());
    const userId = newUser();
    await broker.consumers(1);
    proxy.refuse();
    for (let n = 0; n < 20; n++) await broker.send(reportOf(userId));
    await broker.holds(0);
    await clock.advance(9 * 60_000);
    expect(await broker.ready()).toBe(0);
    await clock.advance(61_000);
    await broker.consumers(0);
    await broker.holds(20);
    proxy.heal();
    await broker.holds(0);
    await broker.consumers(1);
    const list = () => app.get(NotificationService, { strict: false }).list(userId, { limit: 100 });
    await until(async () => (await list()).data.length === 20, { what: 'all stored' });
  });
});
