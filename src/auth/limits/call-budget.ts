/**
 * Adds calls to those that all instances have reserved for a client in a window.
 *
 * @param own how many this instance has reserved before.
 * @returns how many all instances had reserved before.
 */
export type Reserve = (calls: number, own: number) => Promise<number>;

/**
 * The calls that a client may still make in a window. Instances reserve them in chunks from a shared count: within a chunk
 * they count in memory, and together they never let through more than the limit.
 */
export class CallBudget {
  private granted = 0;
  private used = 0;
  /** The shared count after our last reservation; other instances may have reserved more since. */
  private reserved = 0;
  private isExhausted = false;
  private extension: Promise<void> | null = null;

  constructor(
    private readonly limit: number,
    private readonly chunk: number,
    private readonly reserve: Reserve,
  ) {}

  /** How many calls are left: those reserved here and unused, and those not reserved by any instance. */
  get remaining(): number {
    return this.granted - this.used + Math.max(0, this.limit - this.reserved);
  }

  /** @returns false if no call is left. */
  async take(): Promise<boolean> {
    while (this.used === this.granted) {
      if (this.isExhausted) return false;
      // All waiting calls share one statement.
      this.extension ??= this.extend().finally(() => {
        this.extension = null;
      });
      await this.extension;
    }
    this.used++;
    return true;
  }

  private async extend(): Promise<void> {
    const wanted = Math.min(this.chunk, this.limit - this.granted);
    const before = await this.reserve(wanted, this.granted);
    const free = Math.max(0, Math.min(wanted, this.limit - before));
    this.granted += free;
    this.reserved = before + wanted;
    this.isExhausted = free < wanted || this.granted === this.limit;
  }
}
