import { REPLACED } from '../../store/tables/instance.entity.js';
import { NAMED_TIMEOUT_MS } from './instance.js';

/** An instance's row: it changes with each heartbeat. */
export interface Pulse {
  id: string;
  /** By the database's clock; grows with every heartbeat. */
  heartbeatAt: number;
}

interface Seen {
  heartbeatAt: number;
  /** How long the row has been seen unchanged. */
  stillMs: number;
}

/**
 * Tells which of the other instances are dead. An instance is dead when its row has not changed for the timeout, by the
 * observer's own monotonic clock: no wall clock decides, neither the database's nor a process's.
 *
 *   unseen ──seen──► alive ──unchanged, beat after beat, for the timeout──► dead
 *                      ▲──changed──┘
 *
 * One that was replaced cannot change any more, and starts nothing once the timeout of instances with a name has passed.
 *
 * However old a heartbeat is at the first poll: after an outage of the database those of the living are as old, and an instance
 * that starts just then must not take all of them for dead.
 */
export class Liveness {
  private readonly seen = new Map<string, Seen>();
  private polledAt: number | null = null;

  /** @param maxGapMs caps the time counted between two polls: an observer that was frozen has not seen the others idle. */
  constructor(
    private readonly timeoutMs: number,
    private readonly maxGapMs: number,
  ) {}

  /** @returns the dead. */
  poll(pulses: Pulse[], now: number): Pulse[] {
    const passed = Math.min(now - (this.polledAt ?? now), this.maxGapMs);
    this.polledAt = now;
    const listed = new Set(pulses.map(({ id }) => id));
    for (const id of this.seen.keys()) if (!listed.has(id)) this.seen.delete(id);
    return pulses.filter((pulse) => this.hasBeenStill(pulse, passed));
  }

  private hasBeenStill({ id, heartbeatAt }: Pulse, passed: number): boolean {
    const before = this.seen.get(id);
    const stillMs = before?.heartbeatAt === heartbeatAt ? before.stillMs + passed : 0;
    this.seen.set(id, { heartbeatAt, stillMs });
    return stillMs >= (heartbeatAt === REPLACED ? NAMED_TIMEOUT_MS : this.timeoutMs);
  }
}
