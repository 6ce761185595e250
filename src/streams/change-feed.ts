import { Inject, Injectable, Logger } from '@nestjs/common';
import { type Change, ChangeRepository } from '../engine/changes/change.repository.js';
import type { WatchState } from '../engine/changes/watch.repository.js';
import { BELIEVED_MS, SLOW_MS, Watch } from '../engine/changes/watch.service.js';
import type { JobHandle } from '../jobs/job.js';
import { Jobs } from '../jobs/jobs.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { outsideOfContexts } from '../platform/contexts.js';
import { ChangePruning } from './change-pruning.js';
import { eventText } from './event-stream.js';
import type { ChangeSource, Follower } from './follower.js';
import { newestOf } from './newest-of.js';
import { Positions } from './position.js';
import { capacityOf, type Reading, writeTo } from './reading.js';
import { SeenIds } from './seen-ids.js';

/** From the end of one read to the next: at least this long, and longer while there is much to show. */
const POLL_MS = 400;
const POLL_AT_MOST_MS = 1000;
/** What takes that many times as long as a read leaves the process time for its work. */
const REST = 3;
/** Read together, because most of the changes of a busy moment are of the same triggers. */
const AT_ONCE = 10_000;
const CATCH_UP_AT_ONCE = 1000;
/** Pages that one follower catches up before the others get what is new. */
const CATCH_UP_PAGES = 4;
/** How often the watch is renewed. */
const RENEW_MS = 10_000;
/** How long an id that is missing is looked out for: longer than any transaction of our own is open. */
const MISSING_MS = 15_000;
/** How far back a reader that starts looks for ids that are missing. */
const MISSING_IDS = 10_000;
/**
 * How long the watch must have been on until nothing goes unnoted: processes believe for a while what they know, and a write
 * that asked before may still be about to commit. One that takes longer than that is noted when it has ended.
 */
const NOTED_AFTER_MS = BELIEVED_MS + SLOW_MS;

/** Reads what was noted, once for all streams of this process. It runs while there are any. */
@Injectable()
export class ChangeFeed {
  private readonly readings = new Set<Reading>();
  private readonly job: JobHandle;
  private epoch = '';
  /** Null while nothing is read. */
  private seen: SeenIds | null = null;
  private starting: Promise<void> | null = null;
  /** Streams that are about to follow. */
  private coming = 0;
  private renewedAt = 0;

  constructor(
    private readonly changes: ChangeRepository,
    private readonly pruning: ChangePruning,
    private readonly watch: Watch,
    private readonly positions: Positions,
    @Inject(CLOCK) private readonly clock: Clock,
    jobs: Jobs,
  ) {
    this.job = jobs.add({
      logger: new Logger('Streams'),
      failure: 'Streams are behind',
      runs: 'everywhere',
      firstAfterMs: null,
      againAfterErrorMs: 1000,
      step: () => this.poll(),
    });
  }

  /**
   * Follows until the stream is closed. Resolves when all that is committed from then on will come.
   *
   * @param position where the client goes on; null if it has just come.
   */
  async follow(follower: Follower, position: string | null): Promise<void> {
    this.coming++;
    try {
      while (!this.seen) await this.start();
      if (!follower.stream.destroyed) this.add(follower, this.seen, position);
    } finally {
      this.coming--;
    }
  }

  private add(follower: Follower, seen: SeenIds, position: string | null): void {
    const reading: Reading = { ...follower, at: seen.newest, isLive: true };
    follower.stream.position = this.positionAt(seen.complete);
    const at = position === null ? reading.at : this.positions.read(position, this.epoch);
    if (at === null) this.reset(reading);
    // Another process may have come further, and given out a position that is not known here yet.
    else if (at < reading.at) Object.assign(reading, { at, isLive: false });
    this.readings.add(reading);
    follower.stream.once('close', () => this.readings.delete(reading));
  }

  private start(): Promise<void> {
    this.starting ??= outsideOfContexts(() => this.begin()).finally(() => {
      this.starting = null;
    });
    return this.starting;
  }

  private async begin(): Promise<void> {
    const { ageMs } = await this.renew();
    if (ageMs < NOTED_AFTER_MS)
      await new Promise<void>((resolve) =>
        this.clock.after(Math.min(NOTED_AFTER_MS, NOTED_AFTER_MS - ageMs), resolve),
      );
    await this.open();
    this.job.wakeAfter(POLL_MS);
  }

  private async renew(): Promise<WatchState> {
    const state = await this.watch.renew();
    this.renewedAt = this.clock.monotonic();
    return state;
  }

  /** Begins at the newest change; what is missing before it may still appear. */
  private async open(): Promise<void> {
    const { epoch, prunedId } = await this.watch.read();
    const newest = await this.changes.newest();
    const first = Math.max(prunedId, newest - MISSING_IDS);
    const known = await this.changes.behind(first, [], MISSING_IDS);
    const seen = new SeenIds(known[0] ? known[0].id - 1 : Math.max(prunedId, newest));
    for (const { id } of known) seen.see(id, this.clock.monotonic());
    this.epoch = epoch;
    this.seen = seen;
  }

  private async poll(): Promise<number | null> {
    const begin = this.clock.monotonic();
    if (this.readings.size === 0 && this.coming === 0) {
      this.seen = null;
      return null;
    }
    if (this.clock.monotonic() - this.renewedAt >= RENEW_MS) {
      await this.renew();
      if (this.seen) await this.pruning.prune(this.seen.newest);
    }
    const isRead = await this.readNew();
    for (const reading of this.readings) if (!reading.isLive) await this.catchUp(reading);
    if (!isRead) return 0;
    return Math.min(POLL_AT_MOST_MS, Math.max(POLL_MS, REST * (this.clock.monotonic() - begin)));
  }

  /** @returns whether that was all. */
  private async readNew(): Promise<boolean> {
    const { seen } = this;
    if (!seen) return true;
    const before = seen.complete;
    const found = await this.changes.behind(seen.newest, seen.missing, AT_ONCE);
    const { epoch, prunedId } = await this.watch.read();
    if (epoch !== this.epoch || prunedId > before) {
      // Something may have happened that was not noted, or was removed before it was read here.
      await this.begin();
      for (const reading of this.readings) this.reset(reading);
      return true;
    }
    const from = seen.newest;
    const now = this.clock.monotonic();
    const fresh = found.filter(({ id }) => seen.see(id, now));
    seen.giveUp(now - MISSING_MS);
    await this.share(fresh, from);
    const position = this.positionAt(seen.complete);
    for (const reading of this.readings) {
      if (!reading.isLive) continue;
      reading.at = seen.newest;
      reading.stream.position = position;
    }
    return found.length < AT_ONCE;
  }

  /** @param from what is older appears late: those who catch up have passed it. */
  private async share(fresh: Change[], from: number): Promise<void> {
    for (const source of new Set([...this.readings].map((reading) => reading.source))) {
      const of = [...this.readings].filter((reading) => reading.source === source);
      const live = of.filter(({ isLive }) => isLive);
      const late = of.filter(({ isLive }) => !isLive);
      await this.write(source, fresh, live, from);
      for (const reading of late) {
        const missed = fresh.filter(({ id }) => id <= Math.min(reading.at, from));
        await this.write(source, missed, [reading], reading.at);
      }
    }
  }

  /**
   * Reads changes and writes them to the streams. Those without capacity stop where they are.
   *
   * @returns those for whom there was capacity for all of it.
   */
  private async write(
    source: ChangeSource,
    changes: Change[],
    to: Reading[],
    from: number,
  ): Promise<Reading[]> {
    const changed = newestOf(source, changes);
    const [first] = changed;
    let readings = to;
    if (!first || to.length === 0) return readings;
    // Late changes have ids below `from`.
    let at = Math.min(from, first.id - 1);
    const isWanted: Follower['wants'] = (subject) => readings.some(({ wants }) => wants(subject));
    for await (const shown of source.read(changed, isWanted)) {
      const hasCapacity = capacityOf(this.readings);
      for (const reading of readings)
        if (!hasCapacity(reading)) Object.assign(reading, { isLive: false, at });
      readings = readings.filter(hasCapacity);
      writeTo(readings, shown, (id) => this.positionAt(id)());
      at = shown.at(-1)?.id ?? at;
    }
    return readings;
  }

  private async catchUp(reading: Reading): Promise<void> {
    for (let page = 0; page < CATCH_UP_PAGES; page++) {
      const { seen } = this;
      if (!seen || reading.stream.destroyed || !capacityOf(this.readings)(reading)) return;
      const through = seen.newest;
      const found = await this.changes.between(reading.source.kind, reading.at, through, CATCH_UP_AT_ONCE);
      if (reading.at < (await this.watch.read()).prunedId) return this.reset(reading);
      const written = await this.write(reading.source, found, [reading], reading.at);
      if (written.length === 0) return;
      reading.at = found.length < CATCH_UP_AT_ONCE ? through : (found.at(-1)?.id ?? through);
      reading.stream.position = this.positionAt(reading.at);
      if (reading.at === through) reading.isLive = true;
      if (reading.isLive) return;
    }
  }

  /** Tells a client that it has missed something, and goes on with what is new. */
  private reset(reading: Reading): void {
    const { seen } = this;
    if (!seen) return;
    reading.stream.position = this.positionAt(seen.complete);
    reading.stream.send(Buffer.from(eventText(reading.stream.position(), 'reset', '{}')));
    Object.assign(reading, { at: seen.newest, isLive: true });
  }

  /** Where a client goes on that has got everything up to a change, and what was missing then. */
  private positionAt(id: number): () => string {
    const { epoch } = this;
    const at = Math.min(id, this.seen?.complete ?? id);
    return () => this.positions.write(at, epoch);
  }
}
