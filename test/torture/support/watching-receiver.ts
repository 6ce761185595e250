import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { LocalServer } from '../../support/local-server.js';

/** Answers 200, at once or when it is released, and watches what arrives: again, or after a later change of its record. */
export class WatchingReceiver extends LocalServer {
  /** Arrivals since {@link watch} of what had arrived before. */
  readonly repeated: string[] = [];
  /** Changes on the path `/ordered` that arrived after a later one of their record. */
  readonly outOfOrder: string[] = [];
  arrivals = 0;
  private readonly seen = new Set<string>();
  private readonly highest = new Map<string, number>();
  private waiting: ServerResponse[] | null = null;
  private isWatching = false;

  constructor() {
    super(http.createServer({ keepAliveTimeout: 60_000 }));
    this.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.once('end', () => {
        const { data } = JSON.parse(Buffer.concat(chunks).toString());
        this.note(`${request.url} ${data.id}`, data.change);
        if (this.waiting === null) response.end();
        else this.waiting.push(response);
      });
    });
  }

  static async start(): Promise<WatchingReceiver> {
    const receiver = new WatchingReceiver();
    await receiver.listen();
    return receiver;
  }

  /** The notifications that have arrived, each counted once for each path. */
  get arrived(): number {
    return this.seen.size;
  }

  get unanswered(): number {
    return this.waiting?.length ?? 0;
  }

  /** Answers nothing until {@link release}. */
  hold(): void {
    this.waiting ??= [];
  }

  release(): void {
    for (const response of this.waiting ?? []) response.end();
    this.waiting = null;
  }

  watch(isWatching: boolean): void {
    this.isWatching = isWatching;
  }

  private note(record: string, change: number): void {
    this.arrivals++;
    const key = `${record} ${change}`;
    if (this.isWatching && this.seen.has(key)) this.repeated.push(key);
    this.seen.add(key);
    const highest = this.highest.get(record) ?? 0;
    if (record.startsWith('/ordered ') && change < highest) this.outOfOrder.push(`${key} after ${highest}`);
    this.highest.set(record, Math.max(highest, change));
  }
}
