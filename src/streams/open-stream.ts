import type { Clock } from '../platform/clock.js';
import type { EventStream } from './event-stream.js';

const BEAT_MS = 5000;
const BEATS_OF_COMMENT = 3;
const BEATS_OF_CHECK = 2;
/** A quarter of an hour, up to a third less so that not all come back at once. */
const MAX_BEATS = 180;

interface OpenStreamOptions {
  clock: Clock;
  /** Whether the caller may still see what the stream shows. */
  isAdmitted(): Promise<boolean>;
  /** Ends the connection, read or not. */
  cut(): void;
}

/** What a stream needs while it is open: comments, and an end when its client does not read, or is not admitted any more. */
export class OpenStream {
  private beats = 0;
  private readonly maxBeats = Math.ceil(MAX_BEATS * (1 - Math.random() / 3));
  /** What was taken at the last comment, if anything waited then. */
  private takenBefore: number | null = null;
  private cancelTimer = () => {};

  constructor(
    private readonly stream: EventStream,
    private readonly options: OpenStreamOptions,
  ) {
    stream.once('close', () => this.cancelTimer());
    this.wait();
  }

  private wait(): void {
    if (!this.stream.destroyed) this.cancelTimer = this.options.clock.after(BEAT_MS, () => void this.beat());
  }

  private async beat(): Promise<void> {
    this.beats++;
    if (this.beats % BEATS_OF_COMMENT === 0 && !this.comment()) return this.options.cut();
    const isOver = this.beats >= this.maxBeats;
    if (isOver || (this.beats % BEATS_OF_CHECK === 0 && !(await this.options.isAdmitted()))) this.end();
    else this.wait();
  }

  /** Lets the client read what is there. One that does not is cut off. */
  end(): void {
    this.stream.finish();
    const { clock, cut } = this.options;
    this.cancelTimer();
    if (!this.stream.destroyed) this.cancelTimer = clock.after(BEAT_MS, cut);
  }

  /** @returns false if the client has read nothing since the last comment. */
  private comment(): boolean {
    const { taken, waiting } = this.stream;
    if (taken === this.takenBefore) return false;
    this.takenBefore = waiting > 0 ? taken : null;
    this.stream.comment();
    return true;
  }
}
