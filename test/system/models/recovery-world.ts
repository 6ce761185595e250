import type { EntityManager } from 'typeorm';
import { v7 } from 'uuid';
import type { Instance } from '../../../src/engine/instance/instance.js';
import { ActiveReplay } from '../../../src/engine/replay/active-replay.js';
import type { RecoveryShare } from '../../../src/engine/replay/recovery-share.js';
import type { ReplayRepository } from '../../../src/engine/replay/replay.repository.js';
import type { ReplayStep } from '../../../src/engine/replay/replay-step.js';
import type { Clock } from '../../../src/platform/clock.js';
import type { Database } from '../../../src/store/database.js';
import type { Script } from '../../../src/store/sqlite/script.js';
import { replayOf } from '../../support/replay.js';

// biome-ignore lint/suspicious/noExplicitAny: a webhook as the API answers it
type Json = any;

/** A notification, and the webhook's trigger for it, if it has one. */
export interface Past {
  kind: 'RECORD_FINISHED' | 'STATUS_CHANGED';
  status: 'FAILED' | 'CANCELLED' | 'SUCCEEDED' | 'PENDING' | null;
  /** Whether its body is gone, it is a test, or it is about the webhook. */
  is: 'usual' | 'gone' | 'test' | 'about';
  /** Milliseconds after the one before. */
  gap: number;
}

const LEASE = 3;

/** One process: everything it knows is lost when it dies. */
export class Process {
  readonly instance: Instance;
  private readonly share: RecoveryShare;
  private readonly repository: ReplayRepository;
  private readonly step: ReplayStep;
  private carried: ActiveReplay[] = [];
  /** It dies at its next statement but so many; null if it lives. */
  private statementsLeft: number | null = null;

  constructor(
    database: Database,
    private readonly clock: Clock,
  ) {
    const mortal: Database = Object.assign(Object.create(database), {
      query: <T>(sql: string, parameters?: unknown[], manager?: EntityManager) => {
        this.mayDie();
        return database.query<T>(sql, parameters, manager);
      },
      script: async (script: Script) => {
        this.mayDie();
        const answer = await database.script(script);
        // It is committed, and the process does not get to know.
        this.mayDie();
        return answer;
      },
    });
    const { instance, share, repository, step } = replayOf(mortal, clock);
    this.instance = instance;
    this.share = share;
    this.repository = repository;
    this.step = step;
  }

  private mayDie(): void {
    if (this.statementsLeft !== null && this.statementsLeft-- <= 0) throw new Error('died');
  }

  /** @param diesAfter statements, in whatever transaction that is. */
  async look(diesAfter: number | null = null): Promise<void> {
    this.statementsLeft = diesAfter;
    const held = await this.repository.read(await this.share.take());
    const kept = this.carried.filter(({ row }) => held.some(({ id }) => id === row.id));
    const fresh = held.filter(({ id }) => !kept.some(({ row }) => row.id === id));
    this.carried = [...kept, ...fresh.map((row) => new ActiveReplay(row, this.clock.monotonic()))];
  }

  async advance(diesAfter: number | null = null): Promise<void> {
    this.statementsLeft = diesAfter;
    for (const one of this.carried)
      if ((await this.step.take(one)) === null) this.carried = this.carried.filter((other) => other !== one);
  }
}

/** A webhook's past, and the processes that may carry its recovery on. */
export class RecoveryWorld {
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
    private readonly database: Database,
    private readonly webhook: Json,
    private readonly pasts: Past[],
  ) {}

  async store(): Promise<void> {
    let at = Date.now() - 3_600_000;
    for (const { kind, status, is, gap } of this.pasts) {
      at += gap;
      const notificationId = v7({ msecs: at });
      const about = is === 'about' ? this.webhook.id : null;
      await this.database.query(
        `INSERT INTO webhook_notification (id, user_id, event_kind, triggered_at, body, is_test, payload_gone_at, about_webhook_id)
         VALUES (?, ?, ?, ?, '', ?, ?, ?)`,
        [notificationId, this.webhook.user_id, kind, at, is === 'test' ? 1 : 0, is === 'gone' ? 1 : 0, about],
      );
      this.notificationIds.push(notificationId);
      const id = status === null ? null : v7({ msecs: at });
      this.triggerIds.push(id);
      const event = this.webhook.events.find((one: Json) => one.kind === kind);
      if (id !== null)
        await this.database.query(
          `INSERT INTO webhook_trigger (id, notification_id, webhook_id, event_id, event_kind, user_id, status, lease)
           VALUES (?, ?, ?, ?, ?, ?, ?, ${LEASE})`,
          [
            id,
            notificationId,
            this.webhook.id,
            is === 'test' ? null : event.id,
            kind,
            this.webhook.user_id,
            status,
          ],
        );
    }
  }

  /** A process that is alive; one that dies is replaced. */
  async process(which: number): Promise<Process> {
    const living = this.processes[which];
    if (living) return living;
    const born = new Process(this.database, this.clock);
    this.processes[which] = born;
    await this.database.query(
      'INSERT INTO webhook_instance (id, started_at, heartbeat_at) VALUES (?, 0, 0)',
      [born.instance.id],
    );
    return born;
  }

  /** @param isNoticed whether the others take it for dead: a frozen process comes back when they did. */
  async die(which: number, isNoticed: boolean): Promise<void> {
    const dead = this.processes[which];
    if (!dead) return;
    if (!isNoticed) delete this.processes[which];
    await this.database.query('DELETE FROM webhook_instance WHERE id = ?', [dead.instance.id]);
  }

  pass(ms: number): void {
    this.time += ms;
  }

  /** Whatever is due is tried, and fails for good. */
  async send(): Promise<void> {
    await this.database.query(
      `UPDATE webhook_trigger SET status = 'FAILED', next_attempt_at = 0, attempt_count = attempt_count + 1
       WHERE webhook_id = ? AND cause = 'recover' AND status = 'PENDING'`,
      [this.webhook.id],
    );
  }

  /** What was made due, as places in the past; each as often as it was. */
  async enabledAgain(): Promise<number[]> {
    const rows = await this.database.query<Json[]>(
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
    await this.database.query('DELETE FROM webhook_instance WHERE started_at = 0');
  }
}
