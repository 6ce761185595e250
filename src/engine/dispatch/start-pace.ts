/** Attempts started in one turn of the event loop: more would hold up the rest of the process. */
const STARTS_PER_TURN = 16;
/** Used when `delivery.gentle` is set, with a pause in milliseconds before the next turn. */
const GENTLE_STARTS = 2;
const GENTLE_PAUSE_MS = 1;

/** Spreads the starts of attempts over turns of the event loop. */
export class StartPace {
  private readonly startsPerTurn: number;
  /** Attempts that may still be started in this turn. */
  private left: number;
  private isScheduled = false;

  /** @param onTurn is called when a new turn begins after one in which attempts were started. */
  constructor(
    private readonly gentle: boolean,
    private readonly onTurn: () => void,
  ) {
    this.startsPerTurn = gentle ? GENTLE_STARTS : STARTS_PER_TURN;
    this.left = this.startsPerTurn;
  }

  get allowsOne(): boolean {
    return this.left > 0;
  }

  /** Counts an attempt that was started. */
  started(): void {
    this.left--;
    if (this.isScheduled) return;
    this.isScheduled = true;
    const turn = () => {
      this.isScheduled = false;
      this.left = this.startsPerTurn;
      this.onTurn();
    };
    if (this.gentle) setTimeout(turn, GENTLE_PAUSE_MS);
    else setImmediate(turn);
  }
}
