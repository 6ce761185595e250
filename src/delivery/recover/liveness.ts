/** An instance's row: it changes with each heartbeat. */
export interface Pulse {
  id: string;
  /** By the database's clock; grows with every heartbeat. */
  heartbeatAt: number;
  /** How long ago that was by the same clock, in milliseconds. */
  ageMs: number;
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
 *   unseen ──seen, already too old──► dead
 *   unseen ──seen──► alive ──unchanged, look after look, for the timeout──► dead
 *                      ▲──changed──┘
 *
 * Only the first look goes by a wall clock, the database's: an instance that died before this process started is dead at
 * once.
 */
export class Liveness {
  private readonly seen = new Map<string, Seen>();
  private lookedAt: number | null = null;

  /** @param maxGapMs caps the time counted between two looks: an observer that was frozen has not seen the others idle. */
  constructor(
    private readonly timeoutMs: number,
    private readonly maxGapMs: number,
  ) {}

  /** @returns the dead. */
  look(pulses: Pulse[], now: number): Pulse[] {
    const isFirst = this.lookedAt === null;
    const passed = Math.min(now - (this.lookedAt ?? now), this.maxGapMs);
    this.lookedAt = now;
    const listed = new Set(pulses.map(({ id }) => id));
    for (const id of this.seen.keys()) if (!listed.has(id)) this.seen.delete(id);
    const still = pulses.filter((pulse) => this.hasBeenStill(pulse, passed));
    return isFirst ? pulses.filter(({ ageMs }) => ageMs > this.timeoutMs) : still;
  }

  private hasBeenStill({ id, heartbeatAt }: Pulse, passed: number): boolean {
    const before = this.seen.get(id);
    const stillMs = before?.heartbeatAt === heartbeatAt ? before.stillMs + passed : 0;
    this.seen.set(id, { heartbeatAt, stillMs });
    return stillMs >= this.timeoutMs;
  }
}
