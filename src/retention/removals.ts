import { Inject, Injectable } from '@nestjs/common';
import { Instance } from '../engine/instance/instance.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { batchOf, type Candidate } from './batch.js';
import { CandidateRepository } from './candidate.repository.js';
import { Pace } from './pace.js';
import { RemovalRepository, type Removed } from './removal.repository.js';

/** What became of the first of the candidates. */
interface Taken {
  /** The last one that was dealt with; null if the first one was dealt with in part only. */
  end: string | null;
  removed: number;
}

/** Takes candidates, batch by batch, each as large as one transaction should be. */
@Injectable()
export class Removals {
  private readonly pace = new Pace();
  /** Rows that belong to one notification, on average. */
  private weight = 10;
  /** A notification with more triggers than fit into a batch, and the last one of them that was dealt with. */
  private inside: { id: string; after: string } | null = null;

  constructor(
    private readonly candidates: CandidateRepository,
    private readonly repository: RemovalRepository,
    private readonly instance: Instance,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** How many candidates a batch has room for, roughly. */
  get atOnce(): number {
    return Math.min(this.pace.rows, Math.ceil((1.2 * this.pace.rows) / this.weight));
  }

  /**
   * Removes what is finished of the first of these candidates, in one transaction.
   *
   * @param candidates in the order of their ids, at least one.
   * @param cutoff only notifications of this time or before are of age. Epoch milliseconds.
   * @param task notes in it how far it has come; null for candidates that were passed over before.
   */
  async take(what: Removed, candidates: Candidate[], cutoff: number, task: string | null): Promise<Taken> {
    const after = this.inside?.id === candidates[0]?.id ? (this.inside?.after ?? '') : '';
    const room = this.pace.rows;
    const chosen = after ? candidates.slice(0, 1) : candidates;
    const triggers = await this.candidates.triggersOf(
      chosen.map(({ id }) => id),
      room + 1,
      after,
    );
    const planned = batchOf(chosen, triggers, triggers.length > room, (at) => at <= cutoff, room);
    const batch = { ...planned, isListed: planned.isListed || after !== '' };
    const [first] = batch.ready;
    this.inside = batch.isPart && first ? { id: first.id, after: first.triggerIds.at(-1) ?? '' } : null;
    const end = batch.isPart ? null : batch.end;
    if (!first && task === null) return { end, removed: 0 };
    const progress = task === null ? null : { task, instanceId: this.instance.id, position: batch.end };
    try {
      const now = this.clock.now();
      const { notifications, longestMs } = await this.repository.remove({ what, batch, now, progress });
      this.pace.took(longestMs);
      const rows = triggers.reduce((sum, { attempts }) => sum + 1 + attempts, chosen.length);
      this.weight += 0.2 * (Math.max(1, rows / chosen.length) - this.weight);
      return { end, removed: notifications };
    } catch (error) {
      this.pace.failed();
      throw error;
    }
  }
}
