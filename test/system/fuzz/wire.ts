import net, { type Socket } from 'node:net';
import { type ParsedAnswer, parseAnswer } from './answer.js';

export interface WireRequest {
  bytes: Buffer;
  /** True for HEAD: the response announces a body but has none. */
  hasNoBody: boolean;
  /** Uses a connection of its own, because the response may end the connection. */
  isAlone: boolean;
}

/** The outcome of a request. */
export interface WireOutcome {
  /** The response, or the reason why there is none. */
  answer: ParsedAnswer | string;
  ms: number;
}

interface Pending {
  request: WireRequest;
  sentAt: number;
  resolve(outcome: WireOutcome): void;
}

/** Each response must arrive within this time. */
const DEADLINE_MS = 5000;
export const CLOSED = 'The connection ended.';

/** Sends raw bytes, pipelined over keep-alive connections. */
export class WireClient {
  private readonly connections = new Set<Connection>();

  constructor(
    private readonly port: number,
    private readonly maxConnections = 32,
  ) {}

  send(request: WireRequest): Promise<WireOutcome> {
    return new Promise((resolve) => this.enqueue({ request, sentAt: performance.now(), resolve }));
  }

  close(): void {
    for (const connection of this.connections) connection.destroy();
  }

  private enqueue(pending: Pending): void {
    if (pending.request.isAlone) this.connect(true).send(pending);
    else this.leastLoaded().send(pending);
  }

  private leastLoaded(): Connection {
    const open = [...this.connections].filter(({ isUsable }) => isUsable);
    const idle = open.find(({ load }) => load === 0);
    if (idle) return idle;
    if (open.length < this.maxConnections) return this.connect(false);
    return open.reduce((least, one) => (one.load < least.load ? one : least));
  }

  private connect(isAlone: boolean): Connection {
    const connection: Connection = new Connection(this.port, isAlone, {
      onClose: () => this.connections.delete(connection),
      onUnanswered: (pending) => this.enqueue(pending),
    });
    this.connections.add(connection);
    return connection;
  }
}

interface ConnectionEvents {
  onClose(): void;
  /** Called for a request queued behind one that ended the connection. */
  onUnanswered(pending: Pending): void;
}

class Connection {
  isUsable: boolean;
  private readonly socket: Socket;
  private readonly pending: Pending[] = [];
  private received = Buffer.alloc(0);
  private readonly deadline: NodeJS.Timeout;

  constructor(
    port: number,
    private readonly isAlone: boolean,
    private readonly events: ConnectionEvents,
  ) {
    this.isUsable = !isAlone;
    this.socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.on('data', (chunk) => this.take(chunk));
    this.socket.on('error', () => {});
    this.socket.on('close', () => {
      // Bytes sent after a request that ends the connection can make its response get lost (RFC 9112, 9.6).
      if (this.pending[0] && this.pending.length > 1) this.pending[0].request.isAlone = true;
      else this.settle(CLOSED);
      this.end();
    });
    this.deadline = setInterval(() => this.checkDeadline(), 100);
  }

  get load(): number {
    return this.pending.length;
  }

  send(pending: Pending): void {
    this.pending.push(pending);
    this.socket.write(pending.request.bytes);
  }

  destroy(): void {
    this.socket.destroy();
  }

  private take(chunk: Buffer): void {
    this.received = Buffer.concat([this.received, chunk]);
    try {
      this.readAnswers();
    } catch (error) {
      this.settle((error as Error).message);
      this.end();
    }
  }

  private readAnswers(): void {
    for (let first = this.pending[0]; first; first = this.pending[0]) {
      const answer = parseAnswer(this.received, first.request.hasNoBody);
      if (!answer) return;
      this.received = this.received.subarray(answer.length);
      if (answer.status < 200) continue;
      this.settle(answer);
      if (this.isAlone || answer.headers.get('connection') === 'close') this.end();
    }
  }

  private checkDeadline(): void {
    const first = this.pending[0];
    if (!first || performance.now() - first.sentAt < DEADLINE_MS) return;
    this.settle(`Nothing came for ${DEADLINE_MS} ms.`);
    this.end();
  }

  private settle(answer: WireOutcome['answer']): void {
    const first = this.pending.shift();
    first?.resolve({ answer, ms: performance.now() - first.sentAt });
  }

  /** Ends the connection; the server has not processed the requests still pending. */
  private end(): void {
    clearInterval(this.deadline);
    this.isUsable = false;
    this.socket.destroy();
    this.events.onClose();
    for (const pending of this.pending.splice(0)) this.events.onUnanswered(pending);
  }
}
