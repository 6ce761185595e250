import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { LocalServer } from '../../support/local-server.js';
import { until } from '../../support/until.js';

/** A request that has arrived and is not answered. */
interface Waiting {
  key: string;
  response: ServerResponse;
}

/** Counts what arrives, under its path and `webhook-id`, and answers slowly, or not before it is told to. */
export class CountingReceiver extends LocalServer {
  /** How often each came. */
  readonly counts = new Map<string, number>();
  arrivals = 0;
  /** Before each answer. */
  delayMs = 0;
  /** What is sent again after its connection was cut: the longest time that took. */
  longestResendMs = 0;
  /** The longest time without any arrival. */
  longestPauseMs = 0;
  private readonly waiting = new Set<Waiting>();
  private readonly cutAt = new Map<string, number>();
  private holding = false;
  private lastArrivalAt = 0;

  constructor() {
    super(http.createServer({ keepAliveTimeout: 60_000 }));
    this.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const key = `${request.url} ${request.headers['webhook-id']}`;
      request.resume().once('end', () => this.receive({ key, response }));
    });
  }

  static async start(): Promise<CountingReceiver> {
    const receiver = new CountingReceiver();
    await receiver.listen();
    return receiver;
  }

  /** Requests that wait for their answer. */
  get inFlight(): number {
    return this.waiting.size;
  }

  /** Requests whose connection was cut before the answer, and that have not come again. */
  get cutAndMissing(): number {
    return this.cutAt.size;
  }

  get duplicates(): number {
    return this.arrivals - this.counts.size;
  }

  get inFlightKeys(): string[] {
    return [...this.waiting].map(({ key }) => key);
  }

  /** Answers nothing from now on. */
  hold(): void {
    this.holding = true;
  }

  /** Answers what was held, and all that comes. */
  release(status = 200): void {
    this.holding = false;
    for (const waiting of this.waiting) this.answer(waiting, status);
  }

  /** Answers what is held, and goes on holding. */
  answerHeld(status: number): void {
    for (const waiting of this.waiting) this.answer(waiting, status);
  }

  /**
   * Resolves when the end of every connection has been seen that ended before: of a process that is gone, the system has
   * closed all by the time that its exit is heard of. While it waits, the receiver should hold: an answer to nobody would
   * count as received.
   */
  async seeCuts(): Promise<void> {
    // One turn hears of all that the system has; the turn may have begun before.
    for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
    const areSeen = () => [...this.sockets].every((one) => !one.readableEnded && !one.destroyed);
    await until(areSeen, { what: 'that all cut connections were closed' });
  }

  /** The next pause begins with the next arrival. */
  forgetPause(): void {
    this.lastArrivalAt = 0;
  }

  private receive(waiting: Waiting): void {
    const { key, response } = waiting;
    this.count(key);
    this.waiting.add(waiting);
    response.once('close', () => {
      if (this.waiting.delete(waiting) && !response.writableEnded) this.cutAt.set(key, Date.now());
    });
    if (this.holding) return;
    if (this.delayMs === 0) this.answer(waiting, 200);
    else setTimeout(() => !this.holding && this.answer(waiting, 200), this.delayMs);
  }

  private count(key: string): void {
    const now = Date.now();
    const cutAt = this.cutAt.get(key);
    if (cutAt !== undefined) {
      this.longestResendMs = Math.max(this.longestResendMs, now - cutAt);
      this.cutAt.delete(key);
    }
    if (this.lastArrivalAt > 0) this.longestPauseMs = Math.max(this.longestPauseMs, now - this.lastArrivalAt);
    this.lastArrivalAt = now;
    this.arrivals++;
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }

  private answer(waiting: Waiting, status: number): void {
    if (!this.waiting.delete(waiting)) return;
    waiting.response.writeHead(status).end();
  }
}
