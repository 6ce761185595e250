import { Inject, Injectable } from '@nestjs/common';
import { TaskLease } from '../engine/instance/task-lease.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { SETTINGS, type Settings } from '../platform/config/settings.js';
import { firstIdOf, timeOfId } from '../platform/ids/first-id.js';
import type { Candidate } from './batch.js';
import { CandidateRepository } from './candidate.repository.js';
import { FreePages } from './free-pages.js';
import { LeftoverRepository } from './leftover.repository.js';
import type { Removed } from './removal.repository.js';
import { Removals } from './removals.js';
import { type Spans, spansOf } from './spans.js';
import { TASKS } from './tasks.js';

/** One part of a pass takes this long at least before the next one gets its turn. */
const SHORTEST_TURN_MS = 1000;
/** How often to look for triggers without a notification. */
const STRAY_POLL_MS = 60 * 60 * 1000;
/** A decision set in use is stored again every day. */
const SET_IN_USE_MS = 2 * 24 * 60 * 60 * 1000;
const STRAYS_AT_ONCE = 500;

type Did = 'changed' | 'looked';
type Steps = AsyncGenerator<Did, void>;

/** What a pass has done. */
export interface Done {
  payload: number;
  rows: number;
  pages: number;
  /** Whether it came to the end of what is past its retention. */
  isComplete: boolean;
}

/** One look at everything that may be past its retention, in small steps. */
@Injectable()
export class RetentionPass {
  readonly spans: Spans;
  private done: Done = nothing();
  private readonly positions = new Map<string, string>();
  /** The last notification that the round through those passed over has looked at. */
  private passedOver = '';
  private strays = { scannedAt: Number.NEGATIVE_INFINITY, before: '' };

  constructor(
    private readonly candidates: CandidateRepository,
    private readonly removals: Removals,
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
    const rows = this.cutoff(this.spans.rowsMs);
    yield* this.walk('rows', rows);
    // What is to go altogether need not lose its payload before.
    yield* this.walk('payload', this.cutoff(this.spans.payloadMs), rows === null ? '' : firstIdOf(rows + 1));
    yield* this.again();
    yield* this.leftover();
    yield* this.shrink();
  }

  /** The newest time that is past its retention; null if nothing is. */
  private cutoff(span: number | null): number | null {
    return span === null ? null : Math.floor(this.clock.now() - span);
  }

  /** Notifications in the order of their ids, from one on; none is looked at twice. */
  private async *walk(what: Removed, cutoff: number | null, from = ''): Steps {
    if (cutoff === null) return;
    const end = this.endOfTurn();
    for (;;) {
      const reached = this.positions.get(TASKS[what]) ?? '';
      const after = reached > from ? reached : from;
      const some = await this.candidates.between(after, firstIdOf(cutoff + 1), this.removals.atOnce);
      if (some.length === 0) return;
      const taken = await this.removals.take(what, some, cutoff, TASKS[what]);
      if (taken.end !== null) this.positions.set(TASKS[what], taken.end);
      this.done[what] += taken.removed;
      yield 'changed';
      if (this.isOver(end)) return;
    }
  }

  /** Those passed over before; the round goes on in the next pass if it takes long. */
  private async *again(): Steps {
    const end = this.endOfTurn();
    const payload = this.cutoff(this.spans.payloadMs);
    const rows = this.cutoff(this.spans.rowsMs);
    const isForRows = ({ triggeredAt }: Candidate) =>
      triggeredAt === null || (rows !== null && triggeredAt <= rows);
    for (;;) {
      const some = await this.candidates.passedOver(this.passedOver, this.removals.atOnce);
      const [first] = some;
      if (!first) {
        this.passedOver = '';
        return;
      }
      const what = isForRows(first) ? 'rows' : 'payload';
      const cutoff = what === 'rows' ? rows : payload;
      const other = some.findIndex((one) => isForRows(one) !== (what === 'rows'));
      const alike = other < 0 ? some : some.slice(0, other);
      const taken =
        cutoff === null
          ? { end: alike.at(-1)?.id ?? '', removed: 0 }
          : await this.removals.take(what, alike, cutoff, null);
      if (taken.end !== null) this.passedOver = taken.end;
      this.done[what] += taken.removed;
      yield taken.removed > 0 || taken.end === null ? 'changed' : 'looked';
      if (this.isOver(end)) return;
    }
  }

  /** What is left of notifications that are gone. */
  private async *leftover(): Steps {
    const cutoff = this.cutoff(this.spans.rowsMs);
    if (cutoff === null || !this.done.isComplete) return;
    yield* this.stray(cutoff);
    while ((await this.leftovers.deleteRecoveries(cutoff)) > 0) yield 'changed';
    const next = await this.leftovers.after(this.positions.get(TASKS.rows) ?? '');
    const passedOver = await this.leftovers.firstPassedOver();
    const oldest = Math.min(
      this.clock.now(),
      ...[next, passedOver].flatMap((id) => (id ? timeOfId(id) : [])),
    );
    while ((await this.leftovers.deleteDecisionSets(oldest - SET_IN_USE_MS)) > 0) yield 'changed';
  }

  /**
   * Triggers without a notification, among those that were of age at the last look: by now MySQL has purged the deleted
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
      yield 'looked';
    }
  }

  private async *shrink(): Steps {
    const end = this.endOfTurn();
    for (;;) {
      const pages = await this.pages.release();
      if (pages === 0) return;
      this.done.pages += pages;
      yield 'changed';
      if (this.isOver(end)) return;
    }
  }

  private endOfTurn(): number {
    return this.clock.monotonic() + Math.max(SHORTEST_TURN_MS, this.spans.pollMs ?? 0);
  }

  private isOver(end: number): boolean {
    if (this.clock.monotonic() < end) return false;
    this.done.isComplete = false;
    return true;
  }
}

const nothing = (): Done => ({ payload: 0, rows: 0, pages: 0, isComplete: true });
