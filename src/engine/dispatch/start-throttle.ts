/** Attempts started in one iteration of the event loop: more would hold up the rest of the process. */
const STARTS_PER_ITERATION = 16;
/** Used when `delivery.gentle` is set, with a pause in milliseconds before the next iteration. */
const GENTLE_STARTS = 2;
const GENTLE_PAUSE_MS = 1;

/** Spreads the starts of attempts over iterations of the event loop. */
export class StartThrottle {
  private readonly startsPerIteration: number;
  /** Attempts that may still be started in this iteration. */
  private left: number;
  private isScheduled = false;

  /** @param onNext is called when a new iteration begins after one in which attempts were started. */
  constructor(
    private readonly gentle: boolean,
    private readonly onNext: () => void,
  ) {
    this.startsPerIteration = gentle ? GENTLE_STARTS : STARTS_PER_ITERATION;
    this.left = this.startsPerIteration;
  }

  get allowsOne(): boolean {
    return this.left > 0;
  }

  /** Counts an attempt that was started. */
  started(): void {
    this.left--;
    if (this.isScheduled) return;
    this.isScheduled = true;
    const next = () => {
      this.isScheduled = false;
      this.left = this.startsPerIteration;
      this.onNext();
    };
    if (this.gentle) setTimeout(next, GENTLE_PAUSE_MS);
    else setImmediate(next);
  }
}
