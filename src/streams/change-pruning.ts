import { Inject, Injectable } from '@nestjs/common';
import { ChangeRepository } from '../engine/changes/change.repository.js';
import { WatchRepository } from '../engine/changes/watch.repository.js';
import { CLOCK, type Clock } from '../platform/clock.js';

/** How long a client may be away and still miss nothing, and how many changes are kept at most. */
const KEPT_MS = 5 * 60_000;
const KEPT_CHANGES = 100_000;

/** Removes changes that are old. Each process that has streams does so; their age is counted by its monotonic clock. */
@Injectable()
export class ChangePruning {
  /** What the newest change was at a time, the oldest first. */
  private marks: { at: number; id: number }[] = [];
  private prunedId = 0;

  constructor(
    private readonly changes: ChangeRepository,
    private readonly watch: WatchRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async prune(newest: number): Promise<void> {
    const now = this.clock.monotonic();
    const old = this.marks.filter(({ at }) => now - at >= KEPT_MS).at(-1)?.id ?? 0;
    this.marks = this.marks.filter(({ at }) => now - at < KEPT_MS);
    this.marks.push({ at: now, id: newest });
    const through = Math.max(old, newest - KEPT_CHANGES);
    if (through <= this.prunedId) return;
    // First: whoever reads what is left has to know that it is not all.
    await this.watch.setPruned(through);
    await this.changes.remove(through);
    this.prunedId = through;
  }
}
