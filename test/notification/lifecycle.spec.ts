import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EventEmitter2 } from '@nestjs/event-emitter';
import { DataSource } from 'typeorm';
import type { LifecycleEvents } from '../../src/notifier/lifecycle/lifecycle-events.js';
import { LifecyclePublisher } from '../../src/notifier/lifecycle/lifecycle-publisher.js';
import { NotifierService } from '../../src/notifier/notifier.service.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { newUser, record } from '../support/scene.js';
import { createWebhook } from '../support/webhook.js';

const badRecord = { id: 'rec_1', analysis: 'none' } as never;

describe.each(databases)('lifecycle events in process on $name', (kind) => {
  const service = useService(kind);
  const receiver = useReceiver();
  let emitter: EventEmitter2;
  let notifier: NotifierService;
  let user: string;
  let webhookId: string;

  beforeAll(() => {
    emitter = service.get(EventEmitter2);
    notifier = service.get(NotifierService);
  });
  beforeEach(async () => {
    user = newUser();
    webhookId = (await createWebhook(service, { user_id: user, url: `${receiver.url}/${user}` })).id;
  });

  async function arrived(): Promise<Record<string, unknown>> {
    await receiver.waitFor(() => receiver.at(`/${user}`).length > 0);
    return JSON.parse(String(receiver.at(`/${user}`)[0]?.body));
  }

  async function stored(): Promise<unknown[]> {
    const { body } = await service.call('GET', `/v1/webhook/trigger/list?webhook_id=${webhookId}`);
    return body.data;
  }

  it.each<[keyof LifecycleEvents, string, unknown[]]>([
    ['analysis.finished', 'ANALYSIS_FINISHED', [{ id: 'ana_2' }]],
    ['record.finished', 'RECORD_FINISHED', record.analysis],
    ['record.status_changed', 'STATUS_CHANGED', record.analysis],
  ])('%s is stored when emitAsync resolves, and is delivered', async (name, event_kind, analysis) => {
    await emitter.emitAsync(name, { user_id: user, record, analysis_id: 'ana_2' });
    expect(await stored()).toMatchObject([{ event_kind, user_id: user }]);
    expect(await arrived()).toMatchObject({ event_kind, data: { ...record, analysis } });
  });

  it.each<[string, object | undefined]>([
    ['a record that is none', { record: badRecord }],
    ['no record', { record: undefined }],
    ['a record that JSON cannot hold', { record: { ...record, big: 1n } }],
    ['an unknown analysis', { record, analysis_id: 'ana_3' }],
    ['no user', { record, user_id: undefined }],
    ['nothing', undefined],
  ])('emitAsync rejects an event of %s', async (_what, event) => {
    const whole = event && { user_id: user, analysis_id: 'ana_1', ...event };
    await expect(emitter.emitAsync('analysis.finished', whole)).rejects.toThrow();
    expect(await stored()).toEqual([]);
  });

  it('emit delivers too, and that of a bad record affects nothing else', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    emitter.emit('record.finished', { user_id: user, record: badRecord });
    emitter.emit('record.finished', undefined);
    emitter.emit('record.finished', { user_id: user, record });
    expect(await arrived()).toMatchObject({ event_kind: 'RECORD_FINISHED' });
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
    expect(await stored()).toHaveLength(1);
  });

  it('the publisher resolves when the event is stored and rejects when it is not', async () => {
    const publisher = service.get(LifecyclePublisher);
    await publisher.publish('record.finished', { user_id: user, record });
    expect(await stored()).toHaveLength(1);
    const bad = publisher.publish('record.finished', { user_id: user, record: badRecord });
    await expect(bad).rejects.toThrow();
    expect(await stored()).toHaveLength(1);
  });

  it("rejects an invalid record without ending the caller's transaction", async () => {
    const event = { user_id: user, record };
    await service.get(DataSource).transaction(async (manager) => {
      const bad = notifier.notify('record.finished', { ...event, record: badRecord }, { manager });
      await expect(bad).rejects.toMatchObject({ status: 400 });
      await notifier.notify('record.finished', event, { manager });
    });
    expect(await stored()).toHaveLength(1);
  });
});
