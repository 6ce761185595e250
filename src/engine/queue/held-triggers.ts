import type { LeasedTrigger } from './leased-trigger.js';

/** The most triggers of a process whose results are stored late and that keep no place. The others keep theirs. */
const MAX_APART = 1000;

/**
 * The triggers that this process has. If one was taken over and has come back, the one with the newer lease. Only their
 * leases are kept: a table that has become old keeps what went through it from being collected young.
 */
export class HeldTriggers {
  private readonly leases = new Map<string, number>();
  private readonly apart = new Set<LeasedTrigger>();

  has(triggerId: string): boolean {
    return this.leases.has(triggerId);
  }

  add(trigger: LeasedTrigger): void {
    this.leases.set(trigger.id, trigger.lease);
  }

  /** The same trigger may be here twice: others took it over while its result could not be stored, and it was claimed again. */
  remove(trigger: LeasedTrigger): void {
    if (this.leases.get(trigger.id) === trigger.lease) this.leases.delete(trigger.id);
    if (this.apart.size > 0) this.apart.delete(trigger);
  }

  isApart(trigger: LeasedTrigger): boolean {
    return this.apart.size > 0 && this.apart.has(trigger);
  }

  /** Notes that a trigger keeps no place from here on. @returns false if it has to keep it. */
  setApart(trigger: LeasedTrigger): boolean {
    if (this.apart.size >= MAX_APART || this.apart.has(trigger)) return false;
    this.apart.add(trigger);
    return true;
  }
}
