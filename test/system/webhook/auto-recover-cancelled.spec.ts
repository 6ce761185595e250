import { beforeEach, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { databases } from '../../support/databases.js';
import { useReceiver, useService } from '../../support/fixture.js';
import type { Reply } from '../../support/receiver.js';
import { finished, newUser, notify, triggerWhen } from '../../support/scene.js';
import { until } from '../../support/until.js';
import {
  arrived,
  DOWN,
  failing,
  type Json,
  requestsAt,
  SOON,
  untilDisabled,
  untilEnabled,
  WELL,
} from '../../webhook/auto-recover/scene.js';

/** A webhook whose second attempt is far away: whatever fails once waits, and is cancelled by the disabling. */
const WAITS = { retry_schedule_seconds: [3600] };
/** A webhook whose second failure is its last. */
const TWICE = { retry_schedule_seconds: [0.1] };

describe.each(databases)(
  'what was not delivered before a webhook was disabled as failing, on $name',
  (kind) => {
    const service = useService(kind, SOON);
    const receiver = useReceiver();
    let held: PromiseWithResolvers<void>;

    beforeEach(() => {
      held = Promise.withResolvers();
    });

    const query = (sql: string, parameters: unknown[]) => service.app.get(DataSource).query(sql, parameters);

    /** Its n-th attempt is under way, and will fail like those before; what is reported after it has been delivered. */
    async function underWay(mine: Json, attempts: number): Promise<Json> {
      const before = Array<Reply>(attempts - 1).fill(DOWN);
      receiver.respondWith(mine.path, [...before, { ...DOWN, after: held.promise }]);
      const { body: first } = await notify(service, mine.user_id);
      await until(() => requestsAt(receiver, mine).length === attempts);
      receiver.respondWith(mine.path, WELL);
      const { body: good } = await notify(service, mine.user_id);
      await finished(service, good.triggers[0].id);
      receiver.respondWith(mine.path, DOWN);
      return first;
    }

    /** Probes from now on with the shortest pause. */
    async function probed(mine: Json): Promise<void> {
      for (const settings of [{ auto_recover: false }, { auto_recover: true, retry_schedule_seconds: [0.1] }])
        await service.call('PATCH', '/v1/webhook', { id: mine.id, settings });
    }

    async function comesBack(mine: Json, ids: string[]): Promise<void> {
      const since = requestsAt(receiver, mine).length;
      receiver.respondWith(mine.path, WELL);
      await untilEnabled(service, mine);
      await arrived(receiver, mine, ids, since);
    }

    it('comes back if its attempt was under way, and began before the last success', async () => {
      const mine = await failing(service, receiver, newUser(), WAITS);
      const first = await underWay(mine, 1);
      const ids = await untilDisabled(service, mine);
      held.resolve();
      expect(await finished(service, first.triggers[0].id)).toMatchObject({ status: 'CANCELLED' });
      await probed(mine);
      await comesBack(mine, [first.id, ...ids]);
    }, 60_000);

    it('comes back if it failed for good meanwhile, in an attempt that began before the last success', async () => {
      const mine = await failing(service, receiver, newUser(), TWICE);
      const first = await underWay(mine, 2);
      const { body: next } = await notify(service, mine.user_id);
      await finished(service, next.triggers[0].id);
      held.resolve();
      expect(await finished(service, first.triggers[0].id)).toMatchObject({ status: 'FAILED' });
      const ids = await untilDisabled(service, mine);
      await comesBack(mine, [first.id, next.id, ...ids]);
    }, 60_000);

    it('comes back if it failed for good after that', async () => {
      const mine = await failing(service, receiver, newUser(), TWICE);
      const first = await underWay(mine, 2);
      const ids = await untilDisabled(service, mine);
      held.resolve();
      expect(await finished(service, first.triggers[0].id)).toMatchObject({ status: 'FAILED' });
      await comesBack(mine, [first.id, ...ids]);
    }, 60_000);

    it('comes back if a process had it that has died', async () => {
      const mine = await failing(service, receiver, newUser(), WAITS);
      const { body: first } = await notify(service, mine.user_id);
      const [{ id }] = first.triggers;
      await triggerWhen(service, id, ({ attempt_count }) => attempt_count === 1);
      await query(`UPDATE webhook_trigger SET status = 'SUCCEEDED' WHERE id = ?`, [id]);
      receiver.respondWith(mine.path, WELL);
      const { body: good } = await notify(service, mine.user_id);
      await finished(service, good.triggers[0].id);
      receiver.respondWith(mine.path, DOWN);
      const ids = await untilDisabled(service, mine);
      // As it is once its lease has been taken away.
      await query(`UPDATE webhook_trigger SET status = 'PENDING', next_attempt_at = ? WHERE id = ?`, [
        Date.now() + 500,
        id,
      ]);
      await finished(service, id, 70_000);
      await probed(mine);
      await comesBack(mine, [first.id, ...ids]);
    }, 120_000);
  },
);
