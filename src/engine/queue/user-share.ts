import { CapacityBudget } from './capacity-budget.js';

/** The share of all slots and capacity that one user may have. The rest is kept for other users. */
const USER_SHARE = 0.75;

/** What one user has of the slots and the capacity of the process. */
export class UserShare {
  readonly budget: CapacityBudget;
  /** Webhooks that may send now, least recently served first. */
  readonly ready = new Set<string>();
  /** Whether a trigger was refused because this share was full. */
  private isRefused = false;

  constructor(
    readonly userId: string,
    private readonly all: CapacityBudget,
  ) {
    this.budget = new CapacityBudget(
      all.slots * USER_SHARE,
      all.time,
      Math.floor(all.maxBytes * USER_SHARE),
      all,
    );
  }

  /** Whether it has a webhook that may send, and a slot for it. */
  get isReady(): boolean {
    return this.ready.size > 0 && this.budget.sending < Math.max(1, Math.floor(this.budget.slots));
  }

  /** Whether there may be one more reservation, of this user and in all. @param urgent for a trigger that was asked for by hand. */
  admitsAt(now: number, urgent: boolean): boolean {
    const { expectedBytes } = this.budget;
    if (!this.all.admitsAt(now, urgent, expectedBytes)) return false;
    const isAdmitted = this.budget.admitsAt(now, urgent, expectedBytes);
    if (!isAdmitted) this.isRefused = true;
    return isAdmitted;
  }

  /** Whether half of it has become free after a trigger was refused. Says so once. */
  hasFreedAt(now: number): boolean {
    if (!this.isRefused || !this.budget.isFreeAt(now, 0.5)) return false;
    this.isRefused = false;
    return true;
  }
}
