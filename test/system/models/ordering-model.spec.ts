import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { databases } from '../../support/databases.js';
import { useService } from '../../support/fixture.js';
import { newUser } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';
import { act, OrderingWorld } from './ordering-world.js';

const RUNS = { SQLite: 40, MariaDB: 80 };

describe.each(databases)('groups on $name', (kind) => {
  const service = useService(kind, { ROLE: 'api' });

  it('send one at a time, and in the end all, whatever happens at once and whoever dies', async () => {
    await fc.assert(
      fc.asyncProperty(
        // Those of one list happen at once.
        fc.array(fc.array(act, { minLength: 1, maxLength: 3 }), {
          minLength: 10,
          maxLength: 30,
          size: 'max',
        }),
        fc.boolean(),
        async (steps, coalesce) => {
          const settings = { ordering: 'record', coalesce };
          const webhook = await createWebhook(service, { user_id: newUser(), settings });
          const world = new OrderingWorld(service, webhook, { byRecord: true, coalesce });
          for (const acts of steps) {
            await Promise.all(acts.map((one) => world[one.does](one)));
            for (const count of await world.loose()) expect(count).toBe(1);
          }
          const before = world.claimed.length;
          expect(await world.end()).toEqual([]);
          expect(await world.open()).toEqual([]);
          for (const { wasFirst } of world.claimed.slice(before)) expect(wasFirst).toBe(true);
          await service.call('DELETE', `/v1/webhook?id=${webhook.id}`);
        },
      ),
      { numRuns: RUNS[kind.name] },
    );
  }, 240_000);
});
