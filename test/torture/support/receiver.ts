import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { LocalServer } from '../../support/local-server.js';
import { until } from '../../support/until.js';

/** Counts requests by path and `webhook-id`. Answers at once, after a delay, or only when told to. */
export class CountingReceiver extends LocalServer {
  /** Arrivals by path and `webhook-id`. */
  readonly counts = new Map<string, number>();
  arrivals = 0;
  /** Delay before each answer. */
  delayMs = 0;
  /** The longest time between a cut connection and the repeated request. */
  longestResendMs = 0;
  /** The longest time between two arrivals. */
  longestPauseMs = 0;
  private readonly waiting = new Set<ServerResponse>();
  private readonly cutAt = new Map<string, number>();
  private holding = false;
  private lastArrivalAt = 0;

  constructor() {
    super(http.createServer({ keepAliveTimeout: 60_000 }));
    this.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const key = `${request.url} ${request.headers['webhook-id']}`;
      request.resume().once('end', () => this.receive(key, response));
    });
  }

  static async start(): Promise<CountingReceiver> {
    const receiver = new CountingReceiver();
    await receiver.listen();
    return receiver;
  }

  /** Unanswered requests. */
  get inFlight(): number {
    return this.waiting.size;
  }

  /** Requests that were cut before the answer and have not been repeated. */
  get cutAndMissing(): number {
    return this.cutAt.size;
  }

  get duplicates(): number {
    return this.arrivals - this.counts.size;
  }

  /** Stops answering. */
  hold(): void {
    this.holding = true;
  }

  /** Answers all held requests, and answers new ones again. */
  release(): void {
    this.holding = false;
    for (const response of this.waiting) this.answer(response);
  }

  /**
   * Resolves when the receiver has noticed every connection that has ended. The system closes all connections of a
   * process before reporting its exit. Call `hold` first: an answer on a connection that is already cut would count as
   * received.
   */
  async seeCuts(): Promise<void> {
    // One turn of the event loop handles all pending ends, but the current one may have begun before they came.
    for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
    const areSeen = () => [...this.sockets].every((one) => !one.readableEnded && !one.destroyed);
    await until(areSeen, { what: 'that all cut connections were closed' });
  }

  /** Measures pauses anew, the first one from now on. */
  watchPause(): void {
    this.longestPauseMs = 0;
    this.lastArrivalAt = Date.now();
  }

  /** Starts measuring the next pause at the next arrival. */
  forgetPause(): void {
    this.lastArrivalAt = 0;
  }

  private receive(key: string, response: ServerResponse): void {
    this.count(key);
    this.waiting.add(response);
    response.once('close', () => {
      if (this.waiting.delete(response) && !response.writableEnded) this.cutAt.set(key, Date.now());
    });
    if (this.holding) return;
    if (this.delayMs === 0) this.answer(response);
    else setTimeout(() => !this.holding && this.answer(response), this.delayMs);
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

  private answer(response: ServerResponse): void {
    if (this.waiting.delete(response)) response.writeHead(200).end();
  }
}
