import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { databases } from '../../support/databases.js';
import { useService } from '../../support/fixture.js';
import { newUser } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';
import { recover, recovery, stop } from '../../webhook/recovery/scene.js';
import { type Past, type Process, RecoveryWorld } from './recovery-world.js';

const RUNS = { SQLite: 60, MariaDB: 25 };
/** Enough for the longest past at the slowest pace. */
const MAX_STEPS = 400;

const past: fc.Arbitrary<Past> = fc.record({
  kind: fc.constantFrom('RECORD_FINISHED', 'RECORD_FINISHED', 'STATUS_CHANGED'),
  status: fc.constantFrom('FAILED', 'FAILED', 'CANCELLED', 'SUCCEEDED', 'PENDING', null, null),
  is: fc.constantFrom('usual', 'usual', 'usual', 'usual', 'gone', 'test', 'about'),
  gap: fc.constantFrom(1, 1, 2, 1000),
});

/** What happens: a process (0 or 1) looks or takes a step, maybe dies in it, or is taken for dead. */
const event = fc.record({
  which: fc.constantFrom(0, 1),
  does: fc.constantFrom('advance', 'advance', 'advance', 'advance', 'look', 'look', 'freeze'),
  diesAfter: fc.option(fc.nat(14), { freq: 8 }),
  isSent: fc.boolean(),
});

describe.each(databases)('a recovery on $name', (kind) => {
  const service = useService(kind, { ROLE: 'api' });

  it('makes each trigger due once, whatever process dies at whatever statement', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(past, { minLength: 10, maxLength: 25, size: 'max' }),
        fc.array(event, { maxLength: 50, size: 'max' }),
        fc.boolean(),
        fc.constantFrom(2, 2, 5, 20),
        fc.boolean(),
        async (pasts, events, missed, per_second, isStopped) => {
          const fields = {
            user_id: newUser(),
            events: ['RECORD_FINISHED', { kind: 'STATUS_CHANGED', enabled: false }],
          };
          const webhook = await createWebhook(service, fields);
          const world = new RecoveryWorld(service, webhook, pasts);
          await world.store();
          const wanted = world.wanted(missed);
          const { body } = await recover(service, webhook.id, { missed, per_second });
          expect(body.total).toBe(wanted.length);
          for (const { which, does, diesAfter, isSent } of events) {
            const process = await world.process(which);
            try {
              if (does === 'freeze') await world.die(which, true);
              else await process[does](diesAfter);
            } catch (error) {
              expect((error as Error).message).toBe('died');
              await world.die(which, false);
            }
            if (isSent) await world.send();
            world.pass(1000);
          }
          if (isStopped) await stop(service, body.id);
          for (let step = 0; (await recovery(service, body.id)).state === 'RUNNING'; step++) {
            expect(step).toBeLessThan(MAX_STEPS);
            for (const which of [0, 1]) {
              // What a frozen process holds is taken over, but not from one that is alive.
              if (step === 0) await world.die(which, false);
              const process = await world.process(which);
              await process.look();
              await process.advance();
            }
            await world.send();
            world.pass(1000);
          }
          const after = await recovery(service, body.id);
          await world.send();
          const enabledAgain = await world.enabledAgain();
          await world.end();
          expect(after).toMatchObject({ done: enabledAgain.length, total: wanted.length });
          if (after.state === 'DONE') expect(enabledAgain).toEqual(wanted);
          else expect(enabledAgain).toEqual(wanted.slice(0, enabledAgain.length));
        },
      ),
      { numRuns: RUNS[kind.name], endOnFailure: true },
    );
  }, 300_000);

  it('is left alone by an instance that was taken for dead and comes back', async () => {
    const webhook = await createWebhook(service, { user_id: newUser(), events: ['RECORD_FINISHED'] });
    const failed: Past = { kind: 'RECORD_FINISHED', status: 'FAILED', is: 'usual', gap: 1 };
    const world = new RecoveryWorld(service, webhook, Array(5).fill(failed));
    await world.store();
    const { body } = await recover(service, webhook.id, { per_second: 1 });
    const [frozen, other] = [await world.process(0), await world.process(1)];
    const step = async (process: Process) => {
      await process.advance();
      await world.send();
      world.pass(1000);
    };
    await frozen.look();
    await step(frozen);
    await world.die(0, true);
    await other.look();
    await step(other);
    await step(other);
    expect(await world.enabledAgain()).toEqual([0, 1, 2]);
    await step(frozen);
    expect(await world.enabledAgain()).toEqual([0, 1, 2]);
    await step(other);
    expect(await world.enabledAgain()).toEqual([0, 1, 2, 3]);
    expect((await recovery(service, body.id)).done).toBe(4);
    await world.end();
  });
});
