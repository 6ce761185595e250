import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { serveCommands } from '../support/commands.js';
import { recordOf } from '../support/record.js';
import { now, pause } from '../support/stats.js';

export interface Load {
  origin: string;
  path: string;
  headers: Record<string, string>;
  /** Whose the notifications are, in turn. */
  userIds: string[];
  /** Notifications. */
  count: number;
  connections: number;
  /** How many records the notifications are of, in turn. @default each is of another one */
  records?: number;
  /** Notifications at an even pace. @default as fast as they are answered */
  perSecond?: number;
}

/** Times of the first request and of the last answer. */
export interface Loaded {
  first: number;
  last: number;
}

serveCommands({
  async run(load: Load): Promise<Loaded> {
    const requestOf = requestsOf(load);
    const connections = await Promise.all(
      Array.from({ length: load.connections }, () => Connection.open(new URL(load.origin))),
    );
    let next = 0;
    const first = now();
    await Promise.all(
      connections.map(async (connection) => {
        while (next < load.count) {
          const number = next++;
          if (load.perSecond) await pause(Math.max(0, first + (number * 1000) / load.perSecond - now()));
          await connection.post(requestOf(number));
        }
      }),
    );
    const last = now();
    for (const connection of connections) connection.close();
    return { first, last };
  },
});

/** The bytes of each request. Those of a user differ in the record's id and its time alone, texts of fixed length. */
function requestsOf({
  origin,
  path,
  headers,
  userIds,
  records = Number.POSITIVE_INFINITY,
}: Load): (number: number) => string {
  const { id, sent_at: sentAt } = recordOf(0);
  const bodies = userIds.map((userId) =>
    JSON.stringify({
      event_kind: 'ANALYSIS_FINISHED',
      user_id: userId,
      analysis_id: 'ana_1',
      record: recordOf(0),
    }),
  );
  const lines = Object.entries({
    ...headers,
    host: new URL(origin).host,
    'content-type': 'application/json',
  });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return (number) => {
    const body = bodies[number % bodies.length] ?? '';
    const record = recordOf(number % records, now());
    const text = body.replace(id, record.id).replace(sentAt, record.sent_at);
    return `POST ${path} HTTP/1.1\r\n${head}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
  };
}

/**
 * One HTTP/1.1 connection, with one request at a time. A full HTTP client would take as much processor time as the
 * service, which runs on the same machine.
 */
class Connection {
  private answer = '';
  private waiting: PromiseWithResolvers<void> | null = null;

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('latin1').setNoDelay();
    socket.on('data', (text: string) => this.take(text));
    socket.on('close', () => this.waiting?.reject(new Error('The connection was closed.')));
    socket.on('error', (error) => this.waiting?.reject(error));
  }

  static async open({ hostname, port }: URL): Promise<Connection> {
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new Connection(socket);
  }

  /** Resolves when the answer is complete. @throws Error unless it is a 202 */
  post(request: string): Promise<void> {
    this.answer = '';
    this.waiting = Promise.withResolvers();
    this.socket.write(request);
    return this.waiting.promise;
  }

  close(): void {
    this.waiting = null;
    this.socket.destroy();
  }

  private take(text: string): void {
    this.answer += text;
    const head = this.answer.indexOf('\r\n\r\n');
    if (head < 0) return;
    const length = /\r\ncontent-length: (\d+)/i.exec(this.answer)?.[1];
    if (length !== undefined && this.answer.length < head + 4 + Number(length)) return;
    if (length !== undefined && this.answer.startsWith('HTTP/1.1 202 ')) this.waiting?.resolve();
    else this.waiting?.reject(new Error(`Not accepted: ${this.answer}`));
  }
}
