import { expect, it, jest } from '@jest/globals';
import { createConnection } from 'mysql2/promise';
import { ReplayStepRepository } from '../../../src/engine/replay/replay-step.repository.js';
import { describeOnMariadb } from '../../support/databases.js';
import { useService } from '../../support/fixture.js';
import { newUser } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';
import {
  advance,
  ended,
  HOUR_MS,
  NOBODY_LISTENS,
  recover,
  recovery,
  store,
} from '../../webhook/recovery/scene.js';

/** Fifteen steps, and fewer than may wait for a receiver. */
const FAILED = 1500;

describeOnMariadb('a recovery on $name', (kind) => {
  const service = useService(kind, { ROLE: 'api' }, 'test');

  /** @returns the ids of a webhook and of its recovery. */
  async function begun() {
    const mine = await createWebhook(service, { user_id: newUser(), url: NOBODY_LISTENS });
    const at = Date.now() - HOUR_MS;
    const made = Array.from({ length: FAILED }, (_, i) => at + i);
    await store(service, mine, made);
    const { body } = await recover(service, mine.id, { per_second: 1000 });
    return { webhook: mine.id as string, webhook_recovery: body.id as string };
  }

  it.each(['webhook', 'webhook_recovery'] as const)(
    'waits alone if a stranger has locked its row in %s',
    async (table) => {
      const [locked, ...others] = [await begun(), await begun(), await begun()];
      const steps = jest.spyOn(service.app.get(ReplayStepRepository, { strict: false }), 'advance');
      const stranger = await createConnection(service.database.url);
      service.database.defer(() => stranger.end());
      await stranger.query('START TRANSACTION');
      await stranger.query(`SELECT id FROM ${table} WHERE id = ? FOR UPDATE`, [locked[table]]);
      advance(service);
      for (const other of others)
        expect(await ended(service, other.webhook_recovery)).toMatchObject({ done: FAILED });
      const tries = steps.mock.calls.filter(([row]) => row.id === locked.webhook_recovery);
      // Each waits for two seconds, and the others have taken fifteen steps each.
      expect(tries.length).toBeLessThan(6);
      expect(await recovery(service, locked.webhook_recovery)).toMatchObject({ done: 0, state: 'RUNNING' });
      await stranger.query('ROLLBACK');
      expect(await ended(service, locked.webhook_recovery)).toMatchObject({ done: FAILED });
    },
    60_000,
  );
});
