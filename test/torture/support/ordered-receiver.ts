import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { LocalServer } from '../../support/local-server.js';

interface Line {
  /** The highest change that has arrived. */
  highest: number;
  /** The changes whose requests are not answered yet. */
  underWay: Set<number>;
  /** The changes that were answered with 200. */
  delivered: Set<number>;
}

/** Takes the changes of records, refuses some attempts, and watches their order. */
export class OrderedReceiver extends LocalServer {
  /** Changes that arrived after a later one of their record. */
  readonly outOfOrder: string[] = [];
  /** Changes that arrived while another one of their record was under way. */
  readonly atOnce: string[] = [];
  arrivals = 0;
  refused = 0;
  delivered = 0;
  private readonly lines = new Map<string, Line>();

  /** @param failing the share of attempts that are refused. */
  constructor(private readonly failing: number) {
    super(http.createServer({ keepAliveTimeout: 60_000 }));
    this.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.once('end', () => {
        const { data } = JSON.parse(Buffer.concat(chunks).toString());
        this.receive(data.id, data.change, response);
      });
    });
  }

  static async start(failing: number): Promise<OrderedReceiver> {
    const receiver = new OrderedReceiver(failing);
    await receiver.listen();
    return receiver;
  }

  private receive(record: string, change: number, response: ServerResponse): void {
    const line = this.lines.get(record) ?? { highest: 0, underWay: new Set(), delivered: new Set() };
    this.lines.set(record, line);
    this.arrivals++;
    if (change < line.highest) this.outOfOrder.push(`${record} ${change} after ${line.highest}`);
    line.highest = Math.max(line.highest, change);
    if ([...line.underWay].some((other) => other !== change)) this.atOnce.push(`${record} ${change}`);
    line.underWay.add(change);
    response.once('close', () => line.underWay.delete(change));
    // A moment, so that attempts which are not one at a time meet.
    setImmediate(() => this.answer(line, change, response));
  }

  private answer(line: Line, change: number, response: ServerResponse): void {
    line.underWay.delete(change);
    if (Math.random() < this.failing) {
      this.refused++;
      response.writeHead(500).end();
      return;
    }
    if (!line.delivered.has(change)) this.delivered++;
    line.delivered.add(change);
    response.writeHead(200).end();
  }
}
