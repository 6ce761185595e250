/**
 * Adds calls to those that all instances have reserved for a client in a window.
 *
 * @param own how many of them are this instance's.
 * @returns how many there were before.
 */
export type Reserve = (calls: number, own: number) => Promise<number>;

/**
 * The calls that a client may still make in a window. They are reserved in chunks from what all instances share: within
 * a chunk counting is a matter of memory, and all of them together never let through more than the limit.
 */
export class CallBudget {
  private granted = 0;
  private used = 0;
  /** As far as is known here: others may have reserved more meanwhile. */
  private reserved = 0;
  private isExhausted = false;
  private extension: Promise<void> | null = null;

  constructor(
    private readonly limit: number,
    private readonly chunk: number,
    private readonly reserve: Reserve,
  ) {}

  /** How many calls are left: those reserved here and not used, and those that nobody has reserved. */
  get remaining(): number {
    return this.granted - this.used + Math.max(0, this.limit - this.reserved);
  }

  /** @returns false where no call is left. */
  async take(): Promise<boolean> {
    while (this.used === this.granted) {
      if (this.isExhausted) return false;
      // One statement at a time, however many calls wait for it.
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
