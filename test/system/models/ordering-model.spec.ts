import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { databases } from '../../support/databases.js';
import { useService } from '../../support/fixture.js';
import { newUser } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';
import { OrderingWorld } from './ordering-world.js';

const RUNS = { SQLite: 40, MariaDB: 80 };

/** What happens; things of one list happen at once. */
const act = fc.oneof(
  { weight: 2, arbitrary: fc.record({ does: fc.constant('accept' as const), record: fc.nat(1) }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('report' as const), record: fc.nat(1) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('keep' as const),
      which: fc.nat(1),
      diesAfter: fc.option(fc.nat(12), { freq: 5 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('claim' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('settle' as const),
      which: fc.nat(5),
      status: fc.constantFrom('SUCCEEDED' as const, 'FAILED' as const, 'PENDING' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('requeue' as const),
      which: fc.nat(5),
      status: fc.constantFrom('PENDING' as const, 'CANCELLED' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('retry' as const), which: fc.nat(20) }) },
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

function perform(world: OrderingWorld, one: Act): Promise<void> {
  switch (one.does) {
    case 'accept':
      return world.accept(one.record);
    case 'report':
      return world.accept(one.record).then(() => world.keep(0, null));
    case 'keep':
      return world.keep(one.which, one.diesAfter);
    case 'claim':
      return world.claim();
    case 'settle':
      return world.settle(one.which, one.status);
    case 'requeue':
      return world.requeue(one.which, one.status);
    case 'retry':
      return world.retry(one.which);
  }
}

describe.each(databases)('groups on $name', (kind) => {
  const service = useService(kind, { ROLE: 'api' });

  it('send one at a time, and in the end all, whatever happens at once and whoever dies', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(act, { minLength: 1, maxLength: 3 }), {
          minLength: 10,
          maxLength: 30,
          size: 'max',
        }),
        fc.boolean(),
        async (steps, coalesce) => {
          const settings = { ordering: 'record', coalesce };
          const webhook = await createWebhook(service, { user_id: newUser(), settings });
          const world = new OrderingWorld(service.app, webhook, { byRecord: true, coalesce });
          for (const acts of steps) {
            await Promise.all(acts.map((one) => perform(world, one)));
            for (const ids of (await world.loose()).values()) expect(ids.length).toBeLessThanOrEqual(1);
          }
          const before = world.claimed.length;
          expect(await world.end()).toEqual([]);
          expect(await world.open()).toEqual([]);
          for (const { wasFirst } of world.claimed.slice(before)) expect(wasFirst).toBe(true);
          await service.call('DELETE', `/v1/webhook?id=${webhook.id}`);
        },
      ),
      { numRuns: RUNS[kind.name as keyof typeof RUNS] },
    );
  }, 240_000);
});
