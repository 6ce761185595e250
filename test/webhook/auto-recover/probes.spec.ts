import { describe, expect, it } from '@jest/globals';
import { AutoRecoverRepository } from '../../../src/engine/replay/auto-recover.repository.js';
import { databases } from '../../support/databases.js';
import { attempted, type Json, notify, untilOver } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { SOON, useProbing, WELL } from './scene.js';

const DAY_MS = 24 * 3_600_000;
/** Later than due by the step of the clock, and by a look of the service. */
const LATE_MS = 2500;
/** How long before it is due it is looked for. */
const EARLY_MS = 2500;

describe.each(databases)('a webhook that is probed, on $name', (kind) => {
  const scene = useProbing(kind);
  const { clock, service, receiver, second, comes, patch, disabled, enabled, probed, arriving } = scene;
  const { staySilent, failing, report, idsAt, webhookOf, triggersOf, recoveriesOf } = scene;

  describe('has an owner who', () => {
    it('has it probed only with the setting, which may come later', async () => {
      const mine = await failing({ auto_recover: null });
      await disabled(mine);
      receiver.respondWith(mine.path, WELL);
      await staySilent(mine);
      expect((await webhookOf(mine)).enabled).toBe(false);
      await patch(mine, { settings: { auto_recover: true } });
      await enabled(mine);
      expect(await recoveriesOf(mine)).toHaveLength(1);
    });

    it('ends that by taking the setting back, or by enabling, disabling or deleting the webhook', async () => {
      const all = [await failing(), await failing(), await failing(), await failing()];
      const [unset, on, off, deleted] = all;
      for (const one of all) await disabled(one);
      await probed(unset);
      await patch(unset, { settings: null });
      await patch(on, { enabled: true });
      await patch(off, { enabled: false });
      await service.call('DELETE', `/v1/webhook?id=${deleted.id}`);
      for (const { path } of all) receiver.respondWith(path, WELL);
      await staySilent(...all);
      expect(await webhookOf(unset)).toMatchObject({ enabled: false, disabled_reason: 'failing' });
      expect(await webhookOf(on)).toMatchObject({ enabled: true, disabled_reason: null });
      expect(await webhookOf(off)).toMatchObject({ enabled: false, disabled_reason: null });
      for (const one of all) expect(await recoveriesOf(one)).toEqual([]);
    });

    it('is asked no more once the receiver answers a probe with 410', async () => {
      const mine = await failing();
      await disabled(mine);
      receiver.respondWith(mine.path, { status: 410 });
      await comes(async () => (await webhookOf(mine)).disabled_reason === 'gone');
      receiver.respondWith(mine.path, WELL);
      await staySilent(mine);
      expect(await webhookOf(mine)).toMatchObject({ enabled: false, disabled_reason: 'gone' });
      const due = await service.get(AutoRecoverRepository).due(clock.now() + DAY_MS, []);
      expect(due.map(({ id }) => id)).not.toContain(mine.id);
    });

    it('has it disabled even if a probe that was under way succeeds', async () => {
      const mine = await failing();
      await disabled(mine);
      const answer = Promise.withResolvers<void>();
      receiver.respondWith(mine.path, { ...WELL, after: answer.promise });
      await probed(mine);
      await patch(mine, { enabled: false });
      answer.resolve();
      await until(async () => (await triggersOf(mine)).some(({ status }) => status === 'SUCCEEDED'));
      await staySilent(mine);
      expect(await webhookOf(mine)).toMatchObject({ enabled: false, disabled_reason: null });
      expect(await recoveriesOf(mine)).toEqual([]);
    });

    it('gets nothing else of an ordered record while a probe is under way', async () => {
      const mine = await failing({ ordering: 'record', retry_schedule_seconds: [0] });
      await disabled(mine);
      const answer = Promise.withResolvers<void>();
      receiver.respondWith(mine.path, { ...WELL, after: answer.promise });
      await probed(mine);
      await patch(mine, { enabled: true });
      receiver.respondWith(mine.path, WELL);
      const before = receiver.at(mine.path).length;
      const next = await notify(service, mine.user_id);
      const other = await notify(service, mine.user_id, { record: { id: 'other', analysis: [] } });
      await arriving(mine, [other.body.id], before);
      expect(idsAt(mine, before)).toEqual([other.body.id]);
      answer.resolve();
      await arriving(mine, [next.body.id], before);
    });

    it('has it probed at its new URL', async () => {
      const mine = await failing();
      const ids = await disabled(mine);
      const path = `${mine.path}-moved`;
      receiver.respondWith(path, WELL);
      await patch(mine, { url: receiver.url + path });
      await enabled(mine);
      await arriving({ path }, ids);
    });
  });

  describe('has pauses between its probes that', () => {
    /** A webhook that was disabled just now, and its only failed trigger. */
    async function justDisabled(): Promise<Json> {
      const mine = await failing({ retry_schedule_seconds: [5, 3600] });
      for (const _ of [1, 2]) {
        await untilOver(service, async () => attempted(service, (await report(mine)).triggers[0].id));
        clock.advance(400);
      }
      await until(async () => (await webhookOf(mine)).disabled_reason === 'failing');
      return mine;
    }

    const stored = async (mine: Json): Promise<number> =>
      (await triggersOf(mine)).reduce((sum, { attempt_count }) => sum + attempt_count, 0);
    const isProbing = async ({ id }: Json): Promise<boolean> =>
      (await service.query('SELECT probe_id FROM webhook WHERE id = ?', [id]))[0].probe_id !== null;

    /** Lets the next probe come, which must be neither sooner nor later. */
    async function expectPause(mine: Json, about: number): Promise<void> {
      const before = receiver.at(mine.path).length;
      const begin = clock.monotonic();
      for (let step = 0; step < 20; step++) clock.advance((about - EARLY_MS) / 20);
      await second();
      expect(receiver.at(mine.path)).toHaveLength(before);
      // A probe is on its way once it is waiting in the queue: what it needs then is no time of the clock. It may also be over.
      while (!(await isProbing(mine)) && (await stored(mine)) <= before) await second();
      const took = clock.monotonic() - begin;
      await until(async () => (await stored(mine)) > before);
      await until(async () => !(await isProbing(mine)));
      expect(took).toBeLessThanOrEqual(about + LATE_MS);
    }

    it('begin with the first one of its schedule, and double up to an hour', async () => {
      const mine = await justDisabled();
      for (const seconds of [5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600])
        await expectPause(mine, seconds * 1000);
    });

    it('are as long as the receiver asks for', async () => {
      const mine = await justDisabled();
      receiver.respondWith(mine.path, { status: 503, headers: { 'retry-after': '600' } });
      await expectPause(mine, 5000);
      await expectPause(mine, 600_000);
    });

    it('do not grow by a clock that was set back', async () => {
      const mine = await justDisabled();
      await expectPause(mine, 5000);
      await service.stop();
      clock.step(-DAY_MS);
      const before = receiver.at(mine.path).length;
      await service.database.start(SOON);
      await until(() => receiver.at(mine.path).length > before);
    });
  });
});
