import { Inject, Injectable, Logger } from '@nestjs/common';
import { TaskLease } from '../engine/instance/task-lease.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { SETTINGS, type Settings } from '../platform/config/settings.js';
import { isDatabaseAway } from '../platform/database-error.js';
import { firstIdOf, timeOfId } from '../platform/ids/first-id.js';
import { batchOf, type Candidate, ROOM } from './batch.js';
import { CandidateRepository } from './candidate.repository.js';
import { FreePages } from './free-pages.js';
import { LeftoverRepository } from './leftover.repository.js';
import { type Removal, RemovalRepository, type Removed } from './removal.repository.js';
import { type Spans, spansOf } from './spans.js';
import { TASKS } from './tasks.js';

/** One part of a pass takes this long at least before the next one begins. */
const SHORTEST_TURN_MS = 1000;
/** How often to look for triggers without a notification. */
const STRAY_POLL_MS = 60 * 60 * 1000;
/** A decision set in use is stored again every day. */
const SET_IN_USE_MS = 2 * 24 * 60 * 60 * 1000;
const STRAYS_AT_ONCE = 500;
const FIRST_AT_ONCE = 50;
/** No notification is as old. */
const NEVER = Number.NEGATIVE_INFINITY;

type Steps = AsyncGenerator<void, void>;

/** What a pass has done. */
export interface Done {
  payload: number;
  rows: number;
  pages: number;
  /** Whether it came to the end of what is past its retention. */
  isComplete: boolean;
}

/** One pass over everything that may be past its retention, in small steps. */
@Injectable()
export class RetentionPass {
  readonly spans: Spans;
  private readonly logger = new Logger('Retention');
  private done: Done = nothing();
  private readonly positions = new Map<string, string>();
  /** The last notification that the round through those passed over has examined. */
  private passedOver = '';
  /** How many candidates to read: half as many again as the last batch had room for. */
  private atOnce = FIRST_AT_ONCE;
  private strays = { scannedAt: Number.NEGATIVE_INFINITY, before: '' };

  constructor(
    private readonly candidates: CandidateRepository,
    private readonly removals: RemovalRepository,
    private readonly leftovers: LeftoverRepository,
    private readonly pages: FreePages,
    private readonly lease: TaskLease,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) { retention }: Settings,
  ) {
    this.spans = spansOf(retention);
  }

  /** What the pass has done so far. */
  get result(): Done {
    return this.done;
  }

  /** Each step is a transaction or a few reads. Does nothing if another instance takes care of it. */
  async *steps(): Steps {
    this.done = nothing();
    for (const name of Object.values(TASKS)) {
      const task = await this.lease.take(name);
      if (!task) return;
      this.positions.set(name, task.position);
    }
    yield* this.walk('rows', '');
    // What is to go altogether need not lose its payload before.
    yield* this.walk('payload', firstIdOf(this.cutoff('rows') + 1));
    yield* this.again();
    yield* this.leftover();
    yield* this.shrink();
  }

  /** The newest time that is past its retention. */
  private cutoff(what: Removed): number {
    const span = what === 'rows' ? this.spans.rowsMs : this.spans.payloadMs;
    return span === null ? NEVER : Math.floor(this.clock.now() - span);
  }

  /** Notifications in the order of their ids, from one on; none is examined twice. */
  private async *walk(what: Removed, from: string): Steps {
    const cutoff = this.cutoff(what);
    if (cutoff === NEVER) return;
    const end = this.endOfPart();
    do {
      const reached = this.positions.get(TASKS[what]) ?? '';
      const after = reached > from ? reached : from;
      const some = await this.candidates.between(after, firstIdOf(cutoff + 1), this.atOnce);
      if (some.length === 0) return;
      this.positions.set(TASKS[what], yield* this.take(what, some, cutoff, TASKS[what]));
    } while (this.clock.monotonic() < end);
    this.done.isComplete = false;
  }

  /** Removes what earlier passes passed over; the round goes on in the next pass if it takes long. */
  private async *again(): Steps {
    const end = this.endOfPart();
    const cutoffs = { payload: this.cutoff('payload'), rows: this.cutoff('rows') };
    // What the walk of the rows has come past goes altogether: nothing else would come back to it.
    const reached = this.positions.get(TASKS.rows) ?? '';
    const whatOf = ({ id, triggeredAt }: Candidate) =>
      triggeredAt === null || id <= reached ? 'rows' : 'payload';
    do {
      const some = await this.candidates.passedOver(this.passedOver, this.atOnce);
      const [first] = some;
      this.passedOver = '';
      if (!first) return;
      const what = whatOf(first);
      const other = some.findIndex((one) => whatOf(one) !== what);
      const alike = other < 0 ? some : some.slice(0, other);
      this.passedOver = yield* this.take(what, alike, cutoffs[what], null);
    } while (this.clock.monotonic() < end);
  }

  /**
   * Removes what is finished of the first of these candidates, in one transaction; of one with more triggers than fit, in
   * several, its row last.
   *
   * @param candidates in the order of their ids, at least one.
   * @param cutoff only those of this time or before are of age. Epoch milliseconds.
   * @param task where it is noted how far it has come; null for those passed over before.
   * @returns the last candidate that was dealt with.
   */
  private async *take(
    what: Removed,
    candidates: Candidate[],
    cutoff: number,
    task: string | null,
  ): AsyncGenerator<void, string> {
    let after = '';
    for (let some = candidates; ; some = some.slice(0, 1)) {
      const batch = batchOf(some, await this.candidates.triggersOf(some, after), cutoff);
      const isIdle = batch.ready.length === 0 && task === null;
      const removed = isIdle ? 0 : await this.remove({ what, batch, after, now: this.clock.now(), task });
      const next = Math.ceil(1.5 * batch.ids.length);
      this.atOnce = Math.min(ROOM, batch.ids.length < some.length ? next : Math.max(this.atOnce, next));
      yield;
      if (!batch.isPart) this.done[what] += removed;
      if (!batch.isPart || removed === 0) return batch.ids.at(-1) ?? '';
      // Rows that are gone are not read again. One may have been made since, with an id among theirs.
      if (what === 'payload') after = batch.ready[0]?.triggerIds.at(-1) ?? '';
    }
  }

  /** After a failure batches become smaller, down to a single notification. One that fails by itself is passed over. */
  private async remove(removal: Removal): Promise<number> {
    const { batch, task } = removal;
    try {
      return await this.removals.remove(removal);
    } catch (error) {
      this.atOnce = Math.ceil(batch.ids.length / 4);
      if (batch.ids.length > 1 || isDatabaseAway(error)) throw error;
      this.logger.error(`Notification ${batch.ids[0]} cannot be removed: ${(error as Error).message}`);
      const none = { ...batch, ready: [], isPart: false };
      return task === null ? 0 : await this.removals.remove({ ...removal, batch: none });
    }
  }

  /** What is left of notifications that are gone. */
  private async *leftover(): Steps {
    const cutoff = this.cutoff('rows');
    if (cutoff === NEVER || !this.done.isComplete) return;
    yield* this.stray(cutoff);
    while ((await this.leftovers.deleteRecoveries(cutoff)) > 0) yield;
    const next = await this.leftovers.after(this.positions.get(TASKS.rows) ?? '');
    const passedOver = await this.leftovers.firstPassedOver();
    const oldest = Math.min(
      this.clock.now(),
      ...[next, passedOver].flatMap((id) => (id ? timeOfId(id) : [])),
    );
    while ((await this.leftovers.deleteDecisionSets(oldest - SET_IN_USE_MS)) > 0) yield;
  }

  /**
   * Triggers without a notification, among those that were of age at the last pass: by now MySQL has purged the deleted
   * rows around them, which this would otherwise read.
   */
  private async *stray(cutoff: number): Steps {
    const now = this.clock.monotonic();
    if (now - this.strays.scannedAt < Math.min(STRAY_POLL_MS, (this.spans.rowsMs ?? 0) / 5)) return;
    const { before } = this.strays;
    this.strays = { scannedAt: now, before: firstIdOf(cutoff) };
    for (;;) {
      const after = this.positions.get(TASKS.strays) ?? '';
      const last = await this.leftovers.noteWithoutNotification(after, before, STRAYS_AT_ONCE);
      if (last === null) return;
      this.positions.set(TASKS.strays, last);
      await this.lease.reached(TASKS.strays, last);
      yield;
    }
  }

  private async *shrink(): Steps {
    for (const end = this.endOfPart(); this.clock.monotonic() < end; ) {
      const pages = await this.pages.release();
      if (pages === 0) return;
      this.done.pages += pages;
      yield;
    }
    this.done.isComplete = false;
  }

  private endOfPart(): number {
    return this.clock.monotonic() + Math.max(SHORTEST_TURN_MS, this.spans.pollMs ?? 0);
  }
}

const nothing = (): Done => ({ payload: 0, rows: 0, pages: 0, isComplete: true });
