import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EventEmitter2 } from '@nestjs/event-emitter';
import { expectProblem } from '../../support/api.js';
import { moveClock } from '../../support/clock.js';
import { databases } from '../../support/databases.js';
import { useReceiver, useService } from '../../support/fixture.js';
import { attempted, finished, newUser, notify, record, trigger, untilOver } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';

const QUARTER_MS = 30 * 3_600_000;
const KINDS = ['WEBHOOK_FAILING', 'WEBHOOK_DISABLED', 'TRIGGER_FAILED', 'TRIGGER_RECOVERED'];
const EVENTS = ['webhook.failing', 'webhook.disabled', 'trigger.failed', 'trigger.recovered'];

describe.each(databases)('what webhooks are told of each other on $name', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '1' });
  const receiver = useReceiver('test');
  const watcher = useReceiver('test');
  let user: string;
  let failing: { id: string };
  let heard: [name: string, event: object][];

  beforeAll(() => {
    const emitter = service.get(EventEmitter2);
    // What is left of the test before is told of another user's webhooks.
    for (const name of EVENTS)
      emitter.on(name, (event) => event.user_id === user && heard.push([name, event]));
  });
  beforeEach(async () => {
    heard = [];
    user = newUser();
    const url = `${receiver.url}/hooks?token=s3cret`;
    failing = await createWebhook(service, { user_id: user, url, name: 'fragile' });
  });

  const watch = (more: object = {}) =>
    createWebhook(service, { user_id: user, url: watcher.url, name: 'watcher', events: KINDS, ...more });
  const told = () => watcher.requests.map(({ body }) => JSON.parse(body.toString()));
  const notificationsOf = (of: string) =>
    service.query('SELECT * FROM webhook_notification WHERE user_id = ? AND event_kind <> ?', [
      of,
      'RECORD_FINISHED',
    ]);
  /** Waits until all that happened is told. */
  const quiet = () => until(async () => (await service.query('SELECT id FROM webhook_notice')).length === 0);

  it('tells that a trigger failed, and that it was delivered after all, without the record or a secret', async () => {
    const { id: watcherId } = await watch();
    receiver.respondWith([{ status: 503 }, { status: 503 }, {}]);
    const { body: notification } = await notify(service, user);
    const { id } = notification.triggers[0];
    expect(await finished(service, id)).toMatchObject({ status: 'FAILED' });
    await watcher.waitFor(1);
    const about = {
      id,
      webhook_id: failing.id,
      webhook_name: 'fragile',
      url: `${receiver.url}/hooks?********`,
      notification_id: notification.id,
      event_kind: 'RECORD_FINISHED',
    };
    const [failed] = told();
    const text = String(watcher.requests[0]?.body);
    for (const secret of ['s3cret', record.id, record.name, 'ana_1']) expect(text).not.toContain(secret);
    expect(Object.keys(failed)).toEqual(['data', 'triggered_at', 'event_kind']);
    expect(failed).toEqual({
      data: {
        ...about,
        attempt_count: 2,
        error: { code: 'http_status', message: 'The receiver answered 503.' },
        failed_at: failed.triggered_at,
      },
      triggered_at: expect.any(String),
      event_kind: 'TRIGGER_FAILED',
    });
    await service.call('POST', '/v1/webhook/trigger/retry', { id });
    await watcher.waitFor(2);
    expect(told()[1]).toEqual({
      data: { ...about, attempt_count: 3, cause: expect.any(String), recovered_at: expect.any(String) },
      triggered_at: expect.any(String),
      event_kind: 'TRIGGER_RECOVERED',
    });
    expect(heard.map(([name]) => name)).toEqual(['trigger.failed', 'trigger.recovered']);
    expect(heard[1]?.[1]).toMatchObject({ trigger_id: id, user_id: user, attempt_count: 3 });
    const rows = await notificationsOf(user);
    expect(rows).toHaveLength(2);
    for (const row of rows) {
      expect(row).toMatchObject({ about_webhook_id: failing.id, user_id: user });
      expect(String(row.record_id)).toBe(id);
    }
    const { body: list } = await service.call('GET', `/v1/webhook/trigger/list?webhook_id=${watcherId}`);
    expect(list.data).toHaveLength(2);
    // A second success is none of a failed trigger.
    await service.call('POST', '/v1/webhook/trigger/retry', { id });
    expect(await attempted(service, id, 4)).toMatchObject({ status: 'SUCCEEDED' });
    await quiet();
    expect(await notificationsOf(user)).toHaveLength(2);
  });

  it('makes nothing where nobody is subscribed, but tells the application', async () => {
    await createWebhook(service, { user_id: newUser(), url: watcher.url, events: KINDS });
    await watch({ enabled: false });
    await watch({ events: [{ kind: 'TRIGGER_FAILED', enabled: false }] });
    await createWebhook(service, { user_id: user, url: watcher.url, events: ['WEBHOOK_DISABLED'] });
    receiver.respondWith({ status: 503 });
    await finished(service, await trigger(service, user));
    await until(() => heard.length > 0);
    expect(heard.map(([name]) => name)).toEqual(['trigger.failed']);
    expect(await service.query('SELECT * FROM webhook_notice')).toEqual([]);
    expect(await notificationsOf(user)).toEqual([]);
  });

  it('never tells a webhook of itself', async () => {
    await service.call('PATCH', '/v1/webhook', { id: failing.id, events: ['RECORD_FINISHED', ...KINDS] });
    receiver.respondWith({ status: 503 });
    await finished(service, await trigger(service, user));
    await until(() => heard.length > 0);
    expect(await notificationsOf(user)).toEqual([]);
    await watch();
    await finished(service, await trigger(service, user));
    await watcher.waitFor(1);
    const { body } = await service.call('GET', `/v1/webhook/trigger/list?webhook_id=${failing.id}`);
    expect(body.data.map((one: { event_kind: string }) => one.event_kind)).toEqual(
      Array(2).fill('RECORD_FINISHED'),
    );
  });

  it('ends where two webhooks are subscribed to the failures of each other', async () => {
    const events = ['RECORD_FINISHED', ...KINDS];
    await service.call('PATCH', '/v1/webhook', { id: failing.id, events });
    await createWebhook(service, { user_id: user, url: receiver.url, events });
    receiver.respondWith({ status: 410 });
    const { body } = await notify(service, user);
    for (const { id } of body.triggers) await finished(service, id);
    await quiet();
    await until(async () => {
      const open = await service.query(`SELECT id FROM webhook_trigger WHERE user_id = ? AND end_at = 0`, [
        user,
      ]);
      return open.length === 0;
    });
    // Two triggers failed and two webhooks were disabled for it. What could not be told caused nothing more.
    expect((await notificationsOf(user)).length).toBeLessThanOrEqual(4);
  });

  it('says nothing of tests', async () => {
    await watch();
    receiver.respondWith({ status: 410 });
    const { body } = await service.call('POST', '/v1/webhook/test', { id: failing.id });
    await finished(service, body.id);
    await until(() => heard.length === 2);
    expect(heard.map(([name]) => name).sort()).toEqual(['trigger.failed', 'webhook.disabled']);
    expect(await service.query('SELECT * FROM webhook_notice')).toEqual([]);
    expect(await notificationsOf(user)).toEqual([expect.objectContaining({ event_kind: 'WEBHOOK_TEST' })]);
  });

  it('tells at 25, 50 and 75 percent that a webhook fails, and that it was disabled', async () => {
    const { id: watcherId } = await watch({ events: ['WEBHOOK_FAILING', 'WEBHOOK_DISABLED'] });
    await service.call('PATCH', '/v1/webhook', {
      id: failing.id,
      settings: { retry_schedule_seconds: [0] },
    });
    receiver.respondWith({ status: 400 });
    // To its end: a retry that is left would meet the next time, and could disable the webhook before the next trigger is sent.
    const fail = () => untilOver(service, async () => finished(service, await trigger(service, user)));
    const first = await fail();
    for (const [quarters, expected] of [
      [1.1, 1],
      [0.1, 1],
      [0.9, 2],
      [1, 3],
      [1, 4],
    ] as const) {
      moveClock(quarters * QUARTER_MS);
      await fail();
      await watcher.waitFor(expected);
    }
    const since = Date.parse(first.attempts[0].begin);
    const about = {
      id: failing.id,
      webhook_id: failing.id,
      webhook_name: 'fragile',
      url: `${receiver.url}/hooks?********`,
      failing_since: new Date(since).toISOString(),
    };
    const ends = { will_be_disabled_at: new Date(since + 4 * QUARTER_MS).toISOString() };
    expect(told().map(({ data, event_kind }) => [event_kind, data])).toEqual([
      ['WEBHOOK_FAILING', { ...about, ...ends, percent: 25 }],
      ['WEBHOOK_FAILING', { ...about, ...ends, percent: 50 }],
      ['WEBHOOK_FAILING', { ...about, ...ends, percent: 75 }],
      ['WEBHOOK_DISABLED', { ...about, reason: 'failing', disabled_at: expect.any(String) }],
    ]);
    const span = { ...ends, failing_since: about.failing_since };
    await until(() => heard.some(([name]) => name === 'webhook.disabled'));
    expect(heard.filter(([name]) => name.startsWith('webhook.'))).toEqual([
      ...[25, 50, 75].map((percent) => [
        'webhook.failing',
        { webhook_id: failing.id, user_id: user, percent, ...span },
      ]),
      ['webhook.disabled', { webhook_id: failing.id, user_id: user, reason: 'failing' }],
    ]);
    await service.call('DELETE', `/v1/webhook?id=${watcherId}`);
  });

  it.each(KINDS)('%s may be subscribed to and tested, but not reported', async (name) => {
    const { id } = await watch({ events: [] });
    const event = await service.call('POST', '/v1/webhook/event', { webhook_id: id, kind: name });
    expect(event).toMatchObject({ status: 201, body: { kind: name, enabled: true } });
    const answer = await notify(service, user, { event_kind: name });
    expectProblem(answer, 400, 'validation_failed', ['/event_kind']);
    expect(answer.body.errors[0].message).toMatch(/the service itself makes it/);
    const test = await service.call('POST', '/v1/webhook/test', { id, event_kind: name });
    expect(await finished(service, test.body.id)).toMatchObject({ status: 'SUCCEEDED', event_kind: name });
    expect(told()).toMatchObject([{ event_kind: name, data: { webhook_name: 'CRM sync' } }]);
  });
});
