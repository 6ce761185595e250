import { describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { NotifierService } from '../../../src/notifier/notifier.service.js';
import { databases } from '../../support/databases.js';
import { finished, newUser, notify, record, triggerWhen } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';
import { HOUR_MS, recoveryWhen } from '../recovery/scene.js';
import {
  failing,
  idsAt,
  type Json,
  recoveriesOf,
  requestsAt,
  SOON,
  triggersOf,
  untilEnabled,
  useProbing,
  WELL,
  webhookOf,
} from './scene.js';

describe.each(databases)('a webhook with auto_recover that was disabled as failing, on $name', (kind) => {
  const {
    clock,
    service,
    receiver,
    second,
    comes,
    delivered,
    disabled,
    enabled,
    arriving,
    ending,
    staySilent,
  } = useProbing(kind);

  const patch = (id: string, change: object) => service.call('PATCH', '/v1/webhook', { id, ...change });
  /** The attempts that were probes, of all triggers of a webhook, in the order in which they were sent. */
  async function probesOf(webhook: Json): Promise<Json[]> {
    const all: Json[] = [];
    for (const { id } of await triggersOf(service, webhook)) {
      const { body } = await service.call('GET', `/v1/webhook/trigger?id=${id}`);
      const probes = body.attempts.filter(({ cause }: Json) => cause === 'probe');
      all.push(...probes.map(({ begin, end }: Json) => ({ of: body.notification_id, begin, end })));
    }
    return all.sort((a, b) => (a.begin < b.begin ? -1 : 1));
  }

  it('is probed with its oldest failed trigger, enabled by a 2xx, and gets what it missed', async () => {
    const user = newUser();
    const mine = await failing(service, receiver, user);
    const ids = [(await notify(service, user)).body.id];
    await comes(async () => (await triggersOf(service, mine))[0].status === 'FAILED');
    ids.push(...(await disabled(mine)));
    const [first] = await triggersOf(service, mine);
    expect(first.notification_id).toBe(ids[0]);
    // Missed while it is disabled.
    for (let more = 0; more < 3; more++) ids.push((await notify(service, user)).body.id);
    await comes(async () => (await probesOf(mine)).length > 0);
    expect(await finished(service, first.id)).toMatchObject({ status: 'FAILED', next_attempt_at: null });
    expect(await webhookOf(service, mine)).toMatchObject({ enabled: false, disabled_reason: 'failing' });
    const since = requestsAt(receiver, mine).length;
    receiver.respondWith(mine.path, WELL);
    const back = await enabled(mine);
    expect(back).toMatchObject({ disabled_reason: null, paused_until: null });
    expect(Date.parse(back.updated_at)).toBeGreaterThan(Date.parse(mine.updated_at));
    expect(idsAt(receiver, mine)[since]).toBe(ids[0]);
    const [recovery, ...others] = await recoveriesOf(service, mine);
    expect(others).toEqual([]);
    expect(recovery).toMatchObject({ missed: true, per_second: 10 });
    await arriving(mine, ids, since);
    await ending(recovery.id);
    const rows = await triggersOf(service, mine);
    expect(rows.map(({ notification_id, status }) => [notification_id, status])).toEqual(
      ids.map((id) => [id, 'SUCCEEDED']),
    );
    // Nothing is sent twice without need.
    expect(idsAt(receiver, mine).slice(since).sort()).toEqual([...ids].sort());
    expect(await finished(service, first.id)).toMatchObject({ status: 'SUCCEEDED' });
  });

  it('gets what was cancelled by the disabling too, also what is older than the failures', async () => {
    const user = newUser();
    // Nothing fails for good: the second attempt is an hour away, and the oldest is cancelled in its pause.
    const mine = await failing(service, receiver, user, { retry_schedule_seconds: [3600] });
    const { body: oldest } = await notify(service, user);
    await triggerWhen(service, oldest.triggers[0].id, ({ attempt_count }) => attempt_count === 1);
    const good = await delivered(mine);
    const ids = await disabled(mine);
    const rows = await triggersOf(service, mine);
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['CANCELLED', 'SUCCEEDED']));
    // The first pause of its schedule is that of the first probe.
    await patch(mine.id, { settings: { auto_recover: false } });
    await patch(mine.id, { settings: { auto_recover: true, retry_schedule_seconds: [0.1] } });
    const since = requestsAt(receiver, mine).length;
    receiver.respondWith(mine.path, WELL);
    await enabled(mine);
    await arriving(mine, [oldest.id, ...ids], since);
    expect(idsAt(receiver, mine)[since]).toBe(oldest.id);
    expect(idsAt(receiver, mine).filter((id) => id === good.id)).toHaveLength(1);
  });

  it('is probed with the next one if the oldest was erased, and with what it missed if none is left', async () => {
    const user = newUser();
    const mine = await failing(service, receiver, user);
    await disabled(mine);
    await service.call('DELETE', `/v1/notification?user_id=${user}&record_id=rec_1`);
    receiver.respondWith(mine.path, WELL);
    await staySilent(mine);
    const { body } = await notify(service, user);
    expect(body.triggers).toEqual([]);
    const since = requestsAt(receiver, mine).length;
    await enabled(mine);
    await arriving(mine, [body.id], since);
    expect(idsAt(receiver, mine).slice(since)).toEqual([body.id]);
    const found = await service.call('GET', `/v1/notification?id=${body.id}`);
    expect(found.body.decisions).toMatchObject([{ webhook_id: mine.id, outcome: 'triggered' }]);
    expect(await triggersOf(service, mine)).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ notification_id: body.id, status: 'SUCCEEDED' })]),
    );
  });

  it('tells of a failure once, and that it is over', async () => {
    const user = newUser();
    const mine = await failing(service, receiver, user);
    const watcher = await createWebhook(service, {
      user_id: user,
      url: `${receiver.url}${mine.path}-watcher`,
      events: ['TRIGGER_FAILED', 'TRIGGER_RECOVERED'],
    });
    await disabled(mine);
    await comes(async () => (await probesOf(mine)).length > 2);
    receiver.respondWith(mine.path, WELL);
    await enabled(mine);
    const [first] = await triggersOf(service, mine);
    const told = (kind: string) =>
      requestsAt(receiver, { path: `${mine.path}-watcher` })
        .map(({ body }) => JSON.parse(String(body)))
        .filter(({ event_kind, data }) => event_kind === kind && data.id === first.id);
    await comes(() => told('TRIGGER_RECOVERED').length > 0);
    expect(told('TRIGGER_RECOVERED')).toMatchObject([{ data: { cause: 'probe' } }]);
    expect(told('TRIGGER_FAILED')).toHaveLength(1);
    expect(watcher.enabled).toBe(true);
    const stats = await service.call('GET', `/v1/webhook/stats?id=${mine.id}`);
    const failed = (await triggersOf(service, mine)).filter(({ attempt_count }) => attempt_count > 1).length;
    expect(stats.body.total.exhausted).toBeLessThanOrEqual(failed);
  });

  it('ends a recovery that was under way, and takes up what that one was to bring of what was missed', async () => {
    const user = newUser();
    const missed: string[] = [];
    for (let made = 0; made < 20; made++) missed.push((await notify(service, user)).body.id);
    const mine = await failing(service, receiver, user);
    const since = new Date(Date.parse(mine.created_at) - 2 * HOUR_MS).toISOString();
    const begin = { id: mine.id, since, missed: true, per_second: 1 };
    const { body: begun } = await service.call('POST', '/v1/webhook/recover', begin);
    const ids = await disabled(mine);
    const sent = requestsAt(receiver, mine).length;
    receiver.respondWith(mine.path, WELL);
    await enabled(mine);
    const [automatic, manual] = await recoveriesOf(service, mine);
    expect(manual).toMatchObject({ id: begun.id, state: 'STOPPED' });
    await ending(automatic.id);
    await arriving(mine, [...missed, ...ids], sent);
    expect((await webhookOf(service, mine)).enabled).toBe(true);
  });

  // SQLite runs one transaction at a time.
  const itWhereOthersCommit = kind.name === 'MariaDB' ? it : it.skip;
  itWhereOthersCommit('is probed by one process at a time, and brought back once', async () => {
    await service.database.start(SOON);
    const all: { mine: Json; ids: string[] }[] = [];
    for (let made = 0; made < 2; made++) {
      const mine = await failing(service, receiver, newUser(), { retry_schedule_seconds: [0.2, 3600] });
      const { body } = await notify(service, mine.user_id);
      await triggerWhen(service, body.triggers[0].id, ({ attempt_count }) => attempt_count > 0);
      all.push({ mine, ids: [body.id, ...(await disabled(mine))] });
    }
    const pauses = [400, 800, 1600];
    for (const { mine, ids } of all) {
      await comes(async () => (await probesOf(mine)).length > pauses.length, 'probes');
      const probes = await probesOf(mine);
      for (const [index, pause] of pauses.entries())
        expect(Date.parse(probes[index + 1].begin) - Date.parse(probes[index].end)).toBeGreaterThanOrEqual(
          pause,
        );
      expect(new Set(probes.map(({ of }) => of))).toEqual(new Set([ids[0]]));
      receiver.respondWith(mine.path, WELL);
    }
    for (const { mine, ids } of all) {
      await enabled(mine);
      await arriving(mine, ids);
      expect(await recoveriesOf(service, mine)).toHaveLength(1);
    }
  });

  it('gets nothing from before its trouble, however old what is retried by hand', async () => {
    const user = newUser();
    const before = (await notify(service, user)).body.id;
    const mine = await failing(service, receiver, user);
    const { body: old } = await notify(service, user);
    await comes(async () => (await triggersOf(service, mine))[0].status === 'FAILED');
    const good = await delivered(mine);
    await service.call('POST', '/v1/webhook/trigger/retry', { id: old.triggers[0].id });
    const ids = await disabled(mine);
    const sent = requestsAt(receiver, mine).length;
    receiver.respondWith(mine.path, WELL);
    await enabled(mine);
    await arriving(mine, ids, sent);
    const [{ id }] = await recoveriesOf(service, mine);
    await ending(id);
    for (const other of [before, old.id, good.id])
      expect(idsAt(receiver, mine).slice(sent)).not.toContain(other);
  });

  itWhereOthersCommit('gets what is committed late by a call that saw it disabled', async () => {
    const user = newUser();
    const mine = await failing(service, receiver, user);
    const first = await notify(service, user);
    await comes(async () => (await triggersOf(service, mine))[0].status === 'FAILED');
    const ids = [first.body.id, ...(await disabled(mine))];
    const notifier = service.get(NotifierService);
    // How late it is, is told by ids, which go by the machine's clock. So this is the last test.
    clock.step(Date.now() - clock.now());
    const late = await service.app.get(DataSource).transaction(async (manager) => {
      const accepted = await notifier.notify('record.finished', { user_id: user, record }, { manager });
      receiver.respondWith(mine.path, WELL);
      await second();
      await untilEnabled(service, mine);
      const [{ id }] = await recoveriesOf(service, mine);
      // All that is there, in one step.
      await recoveryWhen(service, id, ({ done }) => done === ids.length - 1);
      return accepted;
    });
    expect(late.triggers).toEqual([]);
    await arriving(mine, [...ids, late.id]);
    const [{ id }] = await recoveriesOf(service, mine);
    expect(await ending(id)).toMatchObject({ state: 'DONE' });
    expect(idsAt(receiver, mine).filter((one) => one === late.id)).toHaveLength(1);
  });
});
