import { describe, expect, it, jest } from '@jest/globals';
import { DataSource } from 'typeorm';
import { ReplayStep } from '../../../src/engine/replay/replay-step.js';
import { NotifierService } from '../../../src/notifier/notifier.service.js';
import { databases } from '../../support/databases.js';
import { attempted, finished, type Json, newUser, record, underWay } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { HOUR_MS, iso, recover, recovery, recoveryWhen } from '../recovery/scene.js';
import { DOWN, SOON, useProbing, WELL } from './scene.js';

/** A webhook whose second attempt is far away: whatever fails once waits, and is cancelled by the disabling. */
const WAITS = { retry_schedule_seconds: [3600] };
/** A webhook whose second failure is its last. */
const TWICE = { retry_schedule_seconds: [0.1] };

describe.each(databases)('a webhook with auto_recover that was disabled as failing, on $name', (kind) => {
  const scene = useProbing(kind);
  const { clock, service, receiver, second, comes, patch, delivered, disabled, enabled } = scene;
  const { arriving, ending, staySilent, failing, report, idsAt, webhookOf, triggersOf, recoveriesOf } = scene;

  const failed = (mine: Json) => comes(async () => (await triggersOf(mine)).at(-1)?.status === 'FAILED');
  /** The attempts that were probes, of all triggers of a webhook, in the order in which they were sent. */
  async function probesOf(mine: Json): Promise<Json[]> {
    const all: Json[] = [];
    for (const { id } of await triggersOf(mine)) {
      const { body } = await service.call('GET', `/v1/webhook/trigger?id=${id}`);
      const probes = body.attempts.filter(({ cause }: Json) => cause === 'probe');
      all.push(...probes.map(({ begin, end }: Json) => ({ of: body.notification_id, begin, end })));
    }
    return all.sort((a, b) => (a.begin < b.begin ? -1 : 1));
  }
  /** Its receiver works again, and gets these. @returns how many requests there were before */
  async function comesBack(mine: Json, ids: string[]): Promise<number> {
    const since = receiver.at(mine.path).length;
    receiver.respondWith(mine.path, WELL);
    await enabled(mine);
    await arriving(mine, ids, since);
    return since;
  }
  /** Probes from now on with the shortest pause. */
  async function probedSoon(mine: Json): Promise<void> {
    await patch(mine, { settings: { auto_recover: false } });
    await patch(mine, { settings: { auto_recover: true, retry_schedule_seconds: [0.1] } });
  }

  it('is probed with its oldest failed trigger, enabled by a 2xx, and gets what it missed', async () => {
    const mine = await failing();
    const ids = [(await report(mine)).id];
    await failed(mine);
    ids.push(...(await disabled(mine)));
    const [first] = await triggersOf(mine);
    // Missed while it is disabled.
    for (let more = 0; more < 3; more++) ids.push((await report(mine)).id);
    await comes(async () => (await probesOf(mine)).length > 0);
    expect(await finished(service, first.id)).toMatchObject({ status: 'FAILED', next_attempt_at: null });
    const off = await webhookOf(mine);
    expect(off).toMatchObject({ enabled: false, disabled_reason: 'failing', health: { state: 'off' } });
    expect(off.health.next_attempt_at).not.toBeNull();
    const since = await comesBack(mine, ids);
    const back = await webhookOf(mine);
    expect(back).toMatchObject({ disabled_reason: null, paused_until: null });
    expect(Date.parse(back.updated_at)).toBeGreaterThan(Date.parse(mine.updated_at));
    const recoveries = await recoveriesOf(mine);
    expect(recoveries).toMatchObject([{ missed: true, per_second: 10 }]);
    await ending(recoveries[0].id);
    const rows = await triggersOf(mine);
    expect(rows).toMatchObject(ids.map((notification_id) => ({ notification_id, status: 'SUCCEEDED' })));
    // Nothing is sent twice without need.
    expect(idsAt(mine, since)[0]).toBe(ids[0]);
    expect(idsAt(mine, since).sort()).toEqual([...ids].sort());
  });

  it('gets what was cancelled by the disabling too, also what is older than the failures', async () => {
    const mine = await failing(WAITS);
    const oldest = await report(mine);
    await attempted(service, oldest.triggers[0].id);
    const good = await delivered(mine);
    const ids = await disabled(mine);
    const statuses = (await triggersOf(mine)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set(['CANCELLED', 'SUCCEEDED']));
    await probedSoon(mine);
    const since = await comesBack(mine, [oldest.id, ...ids]);
    expect(idsAt(mine, since)[0]).toBe(oldest.id);
    expect(idsAt(mine).filter((id) => id === good.id)).toHaveLength(1);
  });

  it.each([
    ['was cancelled', WAITS, 1, 'CANCELLED'],
    ['failed for good', TWICE, 2, 'FAILED'],
  ])('gets what was under way at its last success, and %s after the disabling', async (...row) => {
    const [, settings, attempts, status] = row;
    const mine = await failing(settings);
    const held = Promise.withResolvers<void>();
    const last = { ...DOWN, after: held.promise };
    receiver.respondWith(mine.path, [...Array(attempts - 1).fill(DOWN), last]);
    const first = await report(mine);
    await comes(() => receiver.at(mine.path).length === attempts && underWay(service) === 1);
    await delivered(mine);
    const ids = await disabled(mine);
    held.resolve();
    expect(await finished(service, first.triggers[0].id)).toMatchObject({ status });
    await probedSoon(mine);
    await comesBack(mine, [first.id, ...ids]);
  });

  it('is probed with the next one if the oldest was erased, and with what it missed if none is left', async () => {
    const mine = await failing();
    await disabled(mine);
    await service.call('DELETE', `/v1/notification?user_id=${mine.user_id}&record_id=rec_1`);
    receiver.respondWith(mine.path, WELL);
    await staySilent(mine);
    const { id, triggers } = await report(mine);
    expect(triggers).toEqual([]);
    const since = await comesBack(mine, [id]);
    expect(idsAt(mine, since)).toEqual([id]);
    const { body } = await service.call('GET', `/v1/notification?id=${id}`);
    expect(body.decisions).toMatchObject([{ webhook_id: mine.id, outcome: 'triggered' }]);
    expect((await triggersOf(mine)).at(-1)).toMatchObject({ notification_id: id, status: 'SUCCEEDED' });
  });

  it('tells of a failure once, and that it is over', async () => {
    const mine = await failing();
    const path = `${mine.path}-watcher`;
    const events = ['TRIGGER_FAILED', 'TRIGGER_RECOVERED'];
    await createWebhook(service, { user_id: mine.user_id, url: receiver.url + path, events });
    await disabled(mine);
    await comes(async () => (await probesOf(mine)).length > 2);
    await comesBack(mine, []);
    const [first] = await triggersOf(mine);
    const told = (kindOf: string) =>
      receiver
        .at(path)
        .map(({ body }) => JSON.parse(String(body)))
        .filter(({ event_kind, data }) => event_kind === kindOf && data.id === first.id);
    await comes(() => told('TRIGGER_RECOVERED').length > 0);
    expect(told('TRIGGER_RECOVERED')).toMatchObject([{ data: { cause: 'probe' } }]);
    expect(told('TRIGGER_FAILED')).toHaveLength(1);
    const stats = await service.call('GET', `/v1/webhook/stats?id=${mine.id}`);
    const triedAgain = (await triggersOf(mine)).filter(({ attempt_count }) => attempt_count > 1);
    expect(stats.body.total.exhausted).toBeLessThanOrEqual(triedAgain.length);
  });

  it('ends a recovery that was under way, and takes up what that one was to bring of what was missed', async () => {
    const user_id = newUser();
    const missed: string[] = [];
    for (let made = 0; made < 20; made++) missed.push((await report({ user_id })).id);
    const mine = await failing({}, user_id);
    const since = iso(Date.parse(mine.created_at) - 2 * HOUR_MS);
    const { body: begun } = await recover(service, mine.id, { since, missed: true, per_second: 1 });
    const ids = await disabled(mine);
    const sent = receiver.at(mine.path).length;
    receiver.respondWith(mine.path, WELL);
    await enabled(mine);
    const [automatic, manual] = await recoveriesOf(mine);
    expect(manual).toMatchObject({ id: begun.id, state: 'STOPPED' });
    await ending(automatic.id);
    await arriving(mine, [...missed, ...ids], sent);
    expect((await webhookOf(mine)).enabled).toBe(true);
  });

  it('gets nothing from before its trouble, however old what is retried by hand', async () => {
    const user_id = newUser();
    const before = await report({ user_id });
    const mine = await failing({}, user_id);
    const old = await report(mine);
    await failed(mine);
    const good = await delivered(mine);
    await service.call('POST', '/v1/webhook/trigger/retry', { id: old.triggers[0].id });
    const ids = await disabled(mine);
    const sent = await comesBack(mine, ids);
    const [{ id }] = await recoveriesOf(mine);
    await ending(id);
    for (const other of [before, old, good]) expect(idsAt(mine, sent)).not.toContain(other.id);
  });

  // SQLite runs one transaction at a time.
  if (kind.name === 'SQLite') return;

  it('is probed by one process at a time, and brought back once', async () => {
    await service.database.start(SOON);
    const mine = await failing({ retry_schedule_seconds: [0.2, 3600] });
    const first = await report(mine);
    await attempted(service, first.triggers[0].id);
    const ids = [first.id, ...(await disabled(mine))];
    const pauses = [400, 800, 1600];
    await comes(async () => (await probesOf(mine)).length > pauses.length, 'probes');
    const probes = await probesOf(mine);
    for (const [index, pause] of pauses.entries())
      expect(Date.parse(probes[index + 1].begin) - Date.parse(probes[index].end)).toBeGreaterThanOrEqual(
        pause,
      );
    expect(new Set(probes.map(({ of }) => of))).toEqual(new Set([first.id]));
    await comesBack(mine, ids);
    expect(await recoveriesOf(mine)).toHaveLength(1);
  });

  it('gets what is committed late by a call that saw it disabled', async () => {
    const mine = await failing();
    const first = await report(mine);
    await failed(mine);
    const ids = [first.id, ...(await disabled(mine))];
    // How late it is, is told by ids, which go by the machine's clock. So this is the last test.
    clock.step(Date.now() - clock.now());
    const steps = jest.spyOn(service.get(ReplayStep), 'take');
    const late = await service.get(DataSource).transaction(async (manager) => {
      const event = { user_id: mine.user_id, record };
      const accepted = await service.get(NotifierService).notify('record.finished', event, { manager });
      receiver.respondWith(mine.path, WELL);
      await second();
      await until(async () => (await webhookOf(mine)).enabled);
      const [{ id }] = await recoveriesOf(mine);
      const hasAll = ({ done }: Json) => done === ids.length - 1;
      // All that is there, in one step. One that lost a race for a row comes again after a second; the recovery is open for five.
      for (let seconds = 0; seconds < 4; seconds++) {
        await Promise.allSettled(steps.mock.results.map(({ value }) => value));
        if (hasAll(await recovery(service, id))) break;
        await second();
      }
      await recoveryWhen(service, id, hasAll);
      return accepted;
    });
    expect(late.triggers).toEqual([]);
    await arriving(mine, [...ids, late.id]);
    const [{ id }] = await recoveriesOf(mine);
    expect(await ending(id)).toMatchObject({ state: 'DONE' });
    expect(idsAt(mine).filter((one) => one === late.id)).toHaveLength(1);
  });
});
