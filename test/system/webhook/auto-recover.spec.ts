import { describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { NotifierService } from '../../../src/notifier/notifier.service.js';
import { databases } from '../../support/databases.js';
import { useReceiver, useService } from '../../support/fixture.js';
import { finished, newUser, notify, record, triggerWhen } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import {
  arrived,
  DOWN,
  failing,
  idsAt,
  type Json,
  recoveriesOf,
  requestsAt,
  SOON,
  staysSilent,
  triggersOf,
  untilDisabled,
  untilEnabled,
  WELL,
  webhookOf,
} from '../../webhook/auto-recover/scene.js';
import { ended } from '../../webhook/recovery/scene.js';

describe.each(databases)('a webhook with auto_recover that was disabled as failing, on $name', (kind) => {
  const service = useService(kind, SOON);
  const receiver = useReceiver();

  const patch = (id: string, change: object) => service.call('PATCH', '/v1/webhook', { id, ...change });
  /** The attempts of a webhook's oldest trigger that were probes. */
  const probesOf = async (webhook: Json): Promise<Json[]> => {
    const [first] = await triggersOf(service, webhook);
    const { body } = await service.call('GET', `/v1/webhook/trigger?id=${first.id}`);
    return body.attempts.filter(({ cause }: Json) => cause === 'probe');
  };

  it('is probed with its oldest failed trigger, enabled by a 2xx, and gets what it missed', async () => {
    const user = newUser();
    const mine = await failing(service, receiver, user);
    const ids = [(await notify(service, user)).body.id];
    await until(async () => (await triggersOf(service, mine))[0].status === 'FAILED');
    ids.push(...(await untilDisabled(service, mine)));
    const [first] = await triggersOf(service, mine);
    expect(first.notification_id).toBe(ids[0]);
    // Missed while it is disabled.
    for (let more = 0; more < 3; more++) ids.push((await notify(service, user)).body.id);
    const isProbed = ({ attempts, status }: Json) => attempts.at(-1).cause === 'probe' && status === 'FAILED';
    expect(await triggerWhen(service, first.id, isProbed)).toMatchObject({ next_attempt_at: null });
    expect(await webhookOf(service, mine)).toMatchObject({ enabled: false, disabled_reason: 'failing' });
    const since = requestsAt(receiver, mine).length;
    receiver.respondWith(mine.path, WELL);
    const enabled = await untilEnabled(service, mine);
    expect(enabled).toMatchObject({ disabled_reason: null, paused_until: null });
    expect(Date.parse(enabled.updated_at)).toBeGreaterThan(Date.parse(mine.updated_at));
    expect(idsAt(receiver, mine)[since]).toBe(ids[0]);
    const [recovery, ...others] = await recoveriesOf(service, mine);
    expect(others).toEqual([]);
    expect(recovery).toMatchObject({ missed: true, per_second: 10 });
    await arrived(receiver, mine, ids, since);
    await ended(service, recovery.id, 30_000);
    const rows = await triggersOf(service, mine);
    expect(rows.map(({ notification_id, status }) => [notification_id, status])).toEqual(
      ids.map((id) => [id, 'SUCCEEDED']),
    );
    // Nothing is sent twice without need.
    expect(idsAt(receiver, mine).slice(since).sort()).toEqual([...ids].sort());
    expect(await finished(service, first.id)).toMatchObject({ status: 'SUCCEEDED' });
  }, 60_000);

  it('gets what was cancelled by the disabling too, also what is older than the failures', async () => {
    const user = newUser();
    // Nothing fails for good: the second attempt is an hour away, and the oldest is cancelled in its pause.
    const mine = await failing(service, receiver, user, { retry_schedule_seconds: [3600] });
    const { body: oldest } = await notify(service, user);
    await triggerWhen(service, oldest.triggers[0].id, ({ attempt_count }) => attempt_count === 1);
    receiver.respondWith(mine.path, WELL);
    const delivered = await notify(service, user);
    await finished(service, delivered.body.triggers[0].id);
    receiver.respondWith(mine.path, DOWN);
    const ids = await untilDisabled(service, mine);
    const rows = await triggersOf(service, mine);
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['CANCELLED', 'SUCCEEDED']));
    // The first pause of its schedule is that of the first probe.
    await patch(mine.id, { settings: { auto_recover: false } });
    await patch(mine.id, { settings: { auto_recover: true, retry_schedule_seconds: [0.1] } });
    const since = requestsAt(receiver, mine).length;
    receiver.respondWith(mine.path, WELL);
    await untilEnabled(service, mine);
    await arrived(receiver, mine, [oldest.id, ...ids], since);
    expect(idsAt(receiver, mine)[since]).toBe(oldest.id);
    expect(idsAt(receiver, mine).filter((id) => id === delivered.body.id)).toHaveLength(1);
  }, 60_000);

  it('is probed with the next one if the oldest was erased, and with what it missed if none is left', async () => {
    const user = newUser();
    const mine = await failing(service, receiver, user);
    await untilDisabled(service, mine);
    await service.call('DELETE', `/v1/notification?user_id=${user}&record_id=rec_1`);
    receiver.respondWith(mine.path, WELL);
    await staysSilent(service, receiver, mine);
    const { body } = await notify(service, user);
    expect(body.triggers).toEqual([]);
    const since = requestsAt(receiver, mine).length;
    await untilEnabled(service, mine, 40_000);
    await arrived(receiver, mine, [body.id], since);
    expect(idsAt(receiver, mine).slice(since)).toEqual([body.id]);
    const found = await service.call('GET', `/v1/notification?id=${body.id}`);
    expect(found.body.decisions).toMatchObject([{ webhook_id: mine.id, outcome: 'triggered' }]);
    expect(await triggersOf(service, mine)).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ notification_id: body.id, status: 'SUCCEEDED' })]),
    );
  }, 90_000);

  it('tells of a failure once, and that it is over', async () => {
    const user = newUser();
    const mine = await failing(service, receiver, user);
    const watcher = await createWebhook(service, {
      user_id: user,
      url: `${receiver.url}${mine.path}-watcher`,
      events: ['TRIGGER_FAILED', 'TRIGGER_RECOVERED'],
    });
    await untilDisabled(service, mine);
    await until(async () => (await probesOf(mine)).length > 2);
    receiver.respondWith(mine.path, WELL);
    await untilEnabled(service, mine);
    const [first] = await triggersOf(service, mine);
    const told = (kind: string) =>
      requestsAt(receiver, { path: `${mine.path}-watcher` })
        .map(({ body }) => JSON.parse(String(body)))
        .filter(({ event_kind, data }) => event_kind === kind && data.id === first.id);
    await until(() => told('TRIGGER_RECOVERED').length > 0);
    expect(told('TRIGGER_RECOVERED')).toMatchObject([{ data: { cause: 'probe' } }]);
    expect(told('TRIGGER_FAILED')).toHaveLength(1);
    expect(watcher.enabled).toBe(true);
    const stats = await service.call('GET', `/v1/webhook/stats?id=${mine.id}`);
    const failed = (await triggersOf(service, mine)).filter(({ attempt_count }) => attempt_count > 1).length;
    expect(stats.body.total.exhausted).toBeLessThanOrEqual(failed);
  }, 60_000);

  it('ends a recovery that was under way, and takes up what that one was to bring of what was missed', async () => {
    const user = newUser();
    const missed: string[] = [];
    for (let made = 0; made < 20; made++) missed.push((await notify(service, user)).body.id);
    const mine = await failing(service, receiver, user);
    const since = new Date(Date.parse(mine.created_at) - 60_000).toISOString();
    const begin = { id: mine.id, since, missed: true, per_second: 1 };
    const { body: begun } = await service.call('POST', '/v1/webhook/recover', begin);
    const ids = await untilDisabled(service, mine);
    const sent = requestsAt(receiver, mine).length;
    receiver.respondWith(mine.path, WELL);
    await untilEnabled(service, mine);
    const [automatic, manual] = await recoveriesOf(service, mine);
    expect(manual).toMatchObject({ id: begun.id, state: 'STOPPED' });
    await ended(service, automatic.id, 30_000);
    await arrived(receiver, mine, [...missed, ...ids], sent);
    expect((await webhookOf(service, mine)).enabled).toBe(true);
  }, 60_000);

  // SQLite runs one transaction at a time.
  const itWhereOthersCommit = kind.name === 'MariaDB' ? it : it.skip;
  itWhereOthersCommit(
    'gets what is committed late by a call that saw it disabled',
    async () => {
      const user = newUser();
      const mine = await failing(service, receiver, user);
      const first = await notify(service, user);
      await finished(service, first.body.triggers[0].id);
      await until(() => Date.now() > Date.parse(first.body.triggered_at) + 500);
      const ids = [first.body.id, ...(await untilDisabled(service, mine))];
      const notifier = service.app.get(NotifierService, { strict: false });
      const late = await service.app.get(DataSource).transaction(async (manager) => {
        const accepted = await notifier.notify('record.finished', { user_id: user, record }, { manager });
        receiver.respondWith(mine.path, WELL);
        await untilEnabled(service, mine);
        const sent = requestsAt(receiver, mine).length;
        await arrived(receiver, mine, ids.slice(1), sent - 1);
        return accepted;
      });
      expect(late.triggers).toEqual([]);
      await arrived(receiver, mine, [late.id]);
      const [{ id }] = await recoveriesOf(service, mine);
      expect(await ended(service, id, 30_000)).toMatchObject({ state: 'DONE' });
      expect(idsAt(receiver, mine).filter((one) => one === late.id)).toHaveLength(1);
    },
    60_000,
  );

  it('gets nothing from before its trouble, however old what is retried by hand', async () => {
    const user = newUser();
    const before = (await notify(service, user)).body.id;
    const mine = await failing(service, receiver, user);
    const { body: old } = await notify(service, user);
    await finished(service, old.triggers[0].id);
    receiver.respondWith(mine.path, WELL);
    const { body: good } = await notify(service, user);
    await finished(service, good.triggers[0].id);
    receiver.respondWith(mine.path, DOWN);
    await service.call('POST', '/v1/webhook/trigger/retry', { id: old.triggers[0].id });
    const ids = await untilDisabled(service, mine);
    const sent = requestsAt(receiver, mine).length;
    receiver.respondWith(mine.path, WELL);
    await untilEnabled(service, mine);
    await arrived(receiver, mine, ids, sent);
    const [{ id }] = await recoveriesOf(service, mine);
    await ended(service, id, 30_000);
    for (const other of [before, old.id, good.id])
      expect(idsAt(receiver, mine).slice(sent)).not.toContain(other);
  }, 60_000);
});
