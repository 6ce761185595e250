import { beforeEach, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { databases } from '../../support/databases.js';
import type { Reply } from '../../support/receiver.js';
import { finished, newUser, notify, triggerWhen } from '../../support/scene.js';
import { rowsOf } from '../recovery/scene.js';
import { DOWN, failing, type Json, requestsAt, triggersOf, useProbing, WELL } from './scene.js';

/** A webhook whose second attempt is far away: whatever fails once waits, and is cancelled by the disabling. */
const WAITS = { retry_schedule_seconds: [3600] };
/** A webhook whose second failure is its last. */
const TWICE = { retry_schedule_seconds: [0.1] };

describe.each(databases)(
  'what was not delivered before a webhook was disabled as failing, on $name',
  (kind) => {
    const { clock, service, receiver, comes, delivered, disabled, enabled, arriving } = useProbing(kind);
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
      await comes(() => requestsAt(receiver, mine).length === attempts);
      await delivered(mine);
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
      await enabled(mine);
      await arriving(mine, ids, since);
    }

    it('comes back if its attempt was under way, and began before the last success', async () => {
      const mine = await failing(service, receiver, newUser(), WAITS);
      const first = await underWay(mine, 1);
      const ids = await disabled(mine);
      held.resolve();
      expect(await finished(service, first.triggers[0].id)).toMatchObject({ status: 'CANCELLED' });
      await probed(mine);
      await comesBack(mine, [first.id, ...ids]);
    });

    it('comes back if it failed for good meanwhile, in an attempt that began before the last success', async () => {
      const mine = await failing(service, receiver, newUser(), TWICE);
      const first = await underWay(mine, 2);
      const { body: next } = await notify(service, mine.user_id);
      await comes(async () => (await triggersOf(service, mine)).at(-1).status === 'FAILED');
      held.resolve();
      expect(await finished(service, first.triggers[0].id)).toMatchObject({ status: 'FAILED' });
      const ids = await disabled(mine);
      await comesBack(mine, [first.id, next.id, ...ids]);
    });

    it('comes back if it failed for good after that', async () => {
      const mine = await failing(service, receiver, newUser(), TWICE);
      const first = await underWay(mine, 2);
      const ids = await disabled(mine);
      held.resolve();
      expect(await finished(service, first.triggers[0].id)).toMatchObject({ status: 'FAILED' });
      await comesBack(mine, [first.id, ...ids]);
    });

    it('comes back if a process had it that has died', async () => {
      const mine = await failing(service, receiver, newUser(), WAITS);
      const { body: first } = await notify(service, mine.user_id);
      const [{ id }] = first.triggers;
      await triggerWhen(service, id, ({ attempt_count }) => attempt_count === 1);
      await query(`UPDATE webhook_trigger SET status = 'SUCCEEDED' WHERE id = ?`, [id]);
      await delivered(mine);
      const ids = await disabled(mine);
      // As it is once its lease has been taken away.
      await query(`UPDATE webhook_trigger SET status = 'PENDING', next_attempt_at = ? WHERE id = ?`, [
        clock.now() + 500,
        id,
      ]);
      await comes(async () => (await rowsOf(service, mine.id))[0].status === 'CANCELLED');
      await probed(mine);
      await comesBack(mine, [first.id, ...ids]);
    });
  },
);
