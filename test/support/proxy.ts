import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import type { DatabaseFixture } from './fixture.js';

/** The length of a packet in three bytes, and its number. */
const HEADER = 4;
const COM_QUERY = 0x03;
const ERROR = 0xff;

/** A proxy between the service and its database that can simulate network failures. */
export class FaultyProxy {
  private readonly sockets = new Set<Socket>();
  private frozen = false;
  private refusing = false;
  private ignored: string | null = null;
  private answer: { statement: string; errno: number; times: number } | null = null;
  private heldBack: string | null = null;
  private waiting: (() => void)[] = [];
  private readonly server = net.createServer((socket) => this.accept(socket));

  private constructor(
    private readonly host: string,
    private targetPort: number,
  ) {}

  /** @param url of the database; {@link url} reaches it through the proxy. */
  static async before(url: string): Promise<{ proxy: FaultyProxy; url: string }> {
    const target = new URL(url);
    const proxy = new FaultyProxy(target.hostname, Number(target.port || 3306));
    await once(proxy.server.listen(0, '127.0.0.1'), 'listening');
    target.host = `127.0.0.1:${(proxy.server.address() as AddressInfo).port}`;
    return { proxy, url: target.href };
  }

  /** Closes all connections and accepts new ones. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Closes all connections and accepts no new ones. */
  refuse(): void {
    this.refusing = true;
    this.cut();
  }

  /** Forwards nothing in either direction but keeps connections open, like a network that drops every packet. */
  freeze(): void {
    this.frozen = true;
    for (const socket of this.sockets) socket.pause();
  }

  /** Answers statements that begin like this with an error, and keeps them from the database. */
  answerWith(statement: string, errno: number, times = Number.POSITIVE_INFINITY): void {
    this.answer = { statement, errno, times };
  }

  /** Leaves these words out of statements that contain them, as a database does that ignores them. */
  ignore(words: string): void {
    this.ignored = words;
  }

  /** Holds back statements that begin like this, as a database does that stands still, until {@link heal}. */
  holdBack(statement: string): void {
    this.heldBack = statement;
  }

  /** How many statements are held back. */
  get held(): number {
    return this.waiting.length;
  }

  /** Leads new connections to another server on the same host. Those that are open stay where they are. */
  leadTo(port: number): void {
    this.targetPort = port;
  }

  /** Restores normal operation. */
  heal(): void {
    Object.assign(this, { answer: null, heldBack: null, ignored: null, refusing: false, frozen: false });
    for (const send of this.waiting.splice(0)) send();
    for (const socket of this.sockets) socket.resume();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private accept(client: Socket): void {
    if (this.refusing) return void client.resetAndDestroy();
    const upstream = net.connect(this.targetPort, this.host);
    this.join(client, upstream);
    this.join(upstream, client);
  }

  /** A driver sends one statement a packet, and waits for the answer. */
  private errorFor(chunk: Buffer): Buffer | null {
    const { answer } = this;
    if (!answer || !isStatement(chunk, answer.statement) || answer.times-- === 0) return null;
    const text = Buffer.from('   #08S01not now');
    text[0] = ERROR;
    text.writeUInt16LE(answer.errno, 1);
    return Buffer.concat([Buffer.from([text.length, 0, 0, 1]), text]);
  }

  /** Blanks keep the length of the packet. */
  private withoutIgnored(chunk: Buffer): Buffer {
    const at = this.ignored === null || chunk[HEADER] !== COM_QUERY ? -1 : chunk.indexOf(this.ignored);
    return at < 0 ? chunk : chunk.fill(' ', at, at + (this.ignored?.length ?? 0));
  }

  private join(from: Socket, to: Socket): void {
    this.sockets.add(from);
    from
      .on('data', (chunk) => {
        const error = this.errorFor(chunk);
        if (error) from.write(error);
        else if (this.heldBack !== null && isStatement(chunk, this.heldBack))
          this.waiting.push(() => to.write(chunk));
        else to.write(this.withoutIgnored(chunk));
      })
      .on('error', () => {})
      .on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
    if (this.frozen) from.pause();
  }
}

/** A proxy before a database, or before another server. Gone with the database. */
export async function proxied(database: DatabaseFixture, to = database.url) {
  const before = await FaultyProxy.before(to);
  database.defer(() => before.proxy.close());
  return before;
}

/** A service behind such a proxy, which is healed before the service stops. */
export async function startBehindProxy(database: DatabaseFixture, env: Record<string, string> = {}) {
  const { proxy, url } = await proxied(database);
  const service = await database.start({ ...env, DATABASE_URL: url });
  database.defer(() => proxy.heal());
  return { proxy, service };
}

/** Whether a packet is a statement that begins like this. */
function isStatement(chunk: Buffer, statement: string): boolean {
  if (chunk[HEADER] !== COM_QUERY) return false;
  // MySQL's statements begin with the number of their attributes, none, and that of their sets, one.
  const begin = chunk[HEADER + 1] === 0 ? HEADER + 3 : HEADER + 1;
  return chunk.subarray(begin).toString().startsWith(statement);
}
