import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { ReplayRepository } from './replay.repository.js';

/** How long a recovery is left to an instance that has less than its share: somewhat longer than such a one takes to look. */
const LEFT_MS = 1500;

/**
 * Which recoveries this instance carries on: no more than its share, so that one that was begun where many others are does not
 * wait for them. What no other instance takes in time, because it only accepts or stands still, is taken all the same.
 */
@Injectable()
export class RecoveryShare {
  /** Since when recoveries are left to others, by id. Monotonic. */
  private left = new Map<string, number>();

  constructor(
    private readonly repository: ReplayRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Takes what belongs to the share of this instance. @returns the ids of all that it carries on. */
  async take(): Promise<string[]> {
    const { own, free } = await this.repository.running();
    const now = this.clock.monotonic();
    this.left = new Map(free.map(({ id }) => [id, this.left.get(id) ?? now]));
    if (free.length === 0) return own;
    const capacity = (await this.repository.share()) - own.length;
    const leftLong = free.filter(({ id }) => now - (this.left.get(id) as number) >= LEFT_MS);
    const wanted = leftLong.length > capacity ? leftLong : free;
    const most = Math.max(capacity, leftLong.length);
    return most > 0 ? [...own, ...(await this.repository.take(wanted, most))] : own;
  }
}
