import { Problem } from '../platform/problem.js';

/** Leaves 3 s of the 30 s budget of a shutdown for closing the database and for a busy machine. */
const SHUTDOWN_MS = 27_000;
/** The least time that the last notifications get. A commit takes no longer unless the database is unavailable. */
const LAST_MS = 1000;

/** Counts the notifications being accepted, so that the last ones are stored before the database closes. */
export class AcceptGate {
  private underWay = 0;
  private isClosed = false;
  private shutdownBegan = 0;
  private onEmpty = () => {};

  /** @throws Problem 503 `shut_down` */
  enter(): void {
    if (this.isClosed) throw shutDown();
    this.underWay++;
  }

  leave(): void {
    if (--this.underWay === 0) this.onEmpty();
  }

  /** Marks the start of the application's shutdown, during which it may still accept for a while. */
  shutdownBegins(): void {
    this.shutdownBegan = performance.now();
  }

  /** Refuses new notifications. Resolves when those in progress are done, or when the time is up. */
  async close(): Promise<void> {
    this.isClosed = true;
    if (this.underWay === 0) return;
    const left = Math.max(LAST_MS, this.shutdownBegan + SHUTDOWN_MS - performance.now());
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, left);
      this.onEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

const shutDown = () =>
  new Problem(
    503,
    'shut_down',
    'The application has shut down. Nothing was stored; report it to another one.',
  );
