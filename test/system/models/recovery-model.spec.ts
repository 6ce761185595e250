import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { v7 } from 'uuid';
import { ActiveReplay } from '../../../src/engine/replay/active-replay.js';
import type { Clock } from '../../../src/platform/clock.js';
import { Database } from '../../../src/store/database.js';
import { databases } from '../../support/databases.js';
import { useService } from '../../support/fixture.js';
import { replayOf } from '../../support/replay.js';
import { type Json, newUser } from '../../support/scene.js';
import type { TestService } from '../../support/service.js';
import { createWebhook } from '../../support/webhook.js';
import { recover, recovery, stop } from '../../webhook/recovery/scene.js';
import { enlist, insert, MortalDatabase, strike } from './rows.js';

const RUNS = { SQLite: 60, MariaDB: 25 };
/** Enough for the longest past at the slowest pace. */
const MAX_STEPS = 400;

/** A notification, and the webhook's trigger for it, if it has one. */
interface Past {
  kind: 'RECORD_FINISHED' | 'STATUS_CHANGED';
  status: 'FAILED' | 'CANCELLED' | 'SUCCEEDED' | 'PENDING' | null;
  /** Whether its body is gone, it is a test, or it is about the webhook. */
  is: 'usual' | 'gone' | 'test' | 'about';
  /** Milliseconds after the one before. */
  gap: number;
}

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

type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

const by = (which: 0 | 1, ...does: Event['does'][]): Event[] =>
  does.map((one) => ({ which, does: one, diesAfter: null, isSent: true }));
const failed: Past = { kind: 'RECORD_FINISHED', status: 'FAILED', is: 'usual', gap: 1 };
/** One that was taken for dead comes back after another one has taken over, and goes on as if it knew nothing of that. */
const comesBack = [
  ...by(0, 'look', 'advance', 'freeze'),
  ...by(1, 'look', 'advance', 'advance'),
  ...by(0, 'advance'),
  ...by(1, 'advance'),
];

const LEASE = 3;

/** One process: everything it knows is lost when it dies. */
class Process {
  private readonly mortal: MortalDatabase;
  private readonly replay: ReturnType<typeof replayOf>;
  private carried: ActiveReplay[] = [];

  constructor(
    service: TestService,
    private readonly clock: Clock,
  ) {
    this.mortal = new MortalDatabase(service.get(Database));
    this.replay = replayOf(this.mortal.database, clock);
  }

  get id(): string {
    return this.replay.instance.id;
  }

  /** @param diesAfter statements, in whatever transaction that is. */
  async look(diesAfter: number | null = null): Promise<void> {
    this.mortal.statementsLeft = diesAfter;
    const { repository, share } = this.replay;
    const held = await repository.read(await share.take());
    const kept = this.carried.filter(({ row }) => held.some(({ id }) => id === row.id));
    const fresh = held.filter(({ id }) => !kept.some(({ row }) => row.id === id));
    this.carried = [...kept, ...fresh.map((row) => new ActiveReplay(row, this.clock.monotonic()))];
  }

  async advance(diesAfter: number | null = null): Promise<void> {
    this.mortal.statementsLeft = diesAfter;
    for (const one of this.carried)
      if ((await this.replay.step.take(one)) === null)
        this.carried = this.carried.filter((other) => other !== one);
  }
}

/** A webhook's past, and the processes that may carry its recovery on. */
class RecoveryWorld {
  private time = 0;
  private readonly triggerIds: (string | null)[] = [];
  private readonly notificationIds: string[] = [];
  private processes: Process[] = [];
  private readonly clock: Clock = {
    now: () => Date.now(),
    monotonic: () => this.time,
    after: () => () => {},
  };

  constructor(
    private readonly service: TestService,
    private readonly webhook: Json,
    private readonly pasts: Past[],
  ) {}

  async store(): Promise<void> {
    const { id: webhook_id, user_id, events } = this.webhook;
    let at = Date.now() - 3_600_000;
    for (const { kind, status, is, gap } of this.pasts) {
      at += gap;
      const notification_id = v7({ msecs: at });
      const of = { user_id, event_kind: kind };
      await insert(this.service, 'webhook_notification', {
        ...{ id: notification_id, ...of, triggered_at: at, body: '', is_test: is === 'test' ? 1 : 0 },
        ...{ payload_gone_at: is === 'gone' ? 1 : 0, about_webhook_id: is === 'about' ? webhook_id : null },
      });
      this.notificationIds.push(notification_id);
      const id = status === null ? null : v7({ msecs: at });
      this.triggerIds.push(id);
      if (id === null) continue;
      const event_id = is === 'test' ? null : events.find((one: Json) => one.kind === kind).id;
      const row = { id, notification_id, webhook_id, event_id, ...of, status, lease: LEASE };
      await insert(this.service, 'webhook_trigger', row);
    }
  }

  /** A process that is alive; one that dies is replaced. */
  async process(which: number): Promise<Process> {
    const living = this.processes[which];
    if (living) return living;
    const born = new Process(this.service, this.clock);
    this.processes[which] = born;
    await enlist(this.service, born.id);
    return born;
  }

  /** @param isNoticed whether the others take it for dead: a frozen process comes back when they did. */
  async die(which: number, isNoticed: boolean): Promise<void> {
    const dead = this.processes[which];
    if (!dead) return;
    if (!isNoticed) delete this.processes[which];
    await strike(this.service, dead.id);
  }

  pass(ms: number): void {
    this.time += ms;
  }

  /** Whatever is due is tried, and fails for good. */
  async send(): Promise<void> {
    await this.service.query(
      `UPDATE webhook_trigger SET status = 'FAILED', next_attempt_at = 0, attempt_count = attempt_count + 1
       WHERE webhook_id = ? AND cause = 'recover' AND status = 'PENDING'`,
      [this.webhook.id],
    );
  }

  /** What was made due, as places in the past; each as often as it was. */
  async enabledAgain(): Promise<number[]> {
    const rows = await this.service.query(
      'SELECT id, notification_id, attempt_count, lease FROM webhook_trigger WHERE webhook_id = ?',
      [this.webhook.id],
    );
    return rows
      .flatMap((row) => {
        const place = this.notificationIds.indexOf(row.notification_id);
        const isNew = this.triggerIds[place] !== row.id;
        const times = isNew ? row.attempt_count : row.lease - LEASE;
        return Array<number>(times).fill(place);
      })
      .sort((a, b) => a - b);
  }

  /** What it should make due. */
  wanted(missed: boolean): number[] {
    return this.pasts.flatMap(({ kind, status, is }, place) => {
      const isUndelivered = status === 'FAILED' || status === 'CANCELLED';
      if (kind !== 'RECORD_FINISHED' || is === 'gone' || is === 'test') return [];
      if (missed) return is !== 'about' && (isUndelivered || status === null) ? [place] : [];
      return isUndelivered ? [place] : [];
    });
  }

  async end(): Promise<void> {
    await this.service.query('DELETE FROM webhook_instance WHERE started_at = 0');
  }
}

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
      {
        numRuns: RUNS[kind.name],
        examples: [[Array(8).fill(failed), comesBack, false, 1, false]],
        endOnFailure: true,
      },
    );
  }, 300_000);
});
