/** An instance's row: it changes with each heartbeat. */
export interface Pulse {
  id: string;
  /** By the database's clock, and always more than before. */
  heartbeatAt: number;
  /** How long ago that was by the same clock. */
  ageMs: number;
}

interface Seen {
  heartbeatAt: number;
  /** How long it has been seen unchanged. */
  stillMs: number;
}

/**
 * Who of the other instances is dead, by what is seen of their rows. An instance is dead when its row has not changed
 * for the timeout, by the looker's own monotonic clock: no wall clock decides, neither the database's nor anybody's.
 *
 *   unseen ──seen, too old already──► dead
 *   unseen ──seen──► alive ──unchanged, look after look, for the timeout──► dead
 *                      ▲──changed──┘
 *
 * Only at the very first look does a clock count, the database's: what died before this process began is dead at once.
 */
export class Liveness {
  private readonly seen = new Map<string, Seen>();
  private lookedAt: number | null = null;

  /** @param maxGapMs that two looks may be apart: who was frozen for longer has not seen the others do nothing. */
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
