import net, { type Socket } from 'node:net';
import { type Lifetime, listening } from '../support/fixture.js';
import { LocalServer } from '../support/local-server.js';

/** How the proxy answers CONNECT: `connect` opens the tunnel, other text is sent back, a function gets the socket. */
export type ProxyBehaviour = string | ((client: Socket) => void);

/** A proxy for each test, or for all of the block. */
export const useConnectProxy = (lifetime: Lifetime = 'block'): ConnectProxy =>
  listening(new ConnectProxy(), lifetime);

/** An HTTP proxy that supports CONNECT and connects every host to this machine. */
class ConnectProxy extends LocalServer {
  /** The head of each request, as received. */
  readonly heads: string[] = [];
  behaviour: ProxyBehaviour = 'connect';

  constructor() {
    super(net.createServer());
    this.server.on('connection', (client: Socket) => this.accept(client));
  }

  override async listen(): Promise<void> {
    this.heads.length = 0;
    this.behaviour = 'connect';
    await super.listen();
  }

  /** @param credentials such as `user:password@`. */
  urlWith(credentials: string): string {
    return this.url.replace('//', `//${credentials}`);
  }

  private accept(client: Socket): void {
    let head = '';
    const read = (chunk: Buffer) => {
      head += chunk.toString('latin1');
      if (!head.includes('\r\n\r\n')) return;
      client.off('data', read);
      this.heads.push(head);
      this.answer(client, head);
    };
    client.on('data', read);
  }

  private answer(client: Socket, head: string): void {
    const { behaviour } = this;
    if (behaviour === 'connect') tunnel(client, head);
    else if (typeof behaviour === 'function') behaviour(client);
    else client.write(behaviour, 'latin1');
  }
}

function tunnel(client: Socket, head: string): void {
  const [, port] = /^CONNECT \S+:(\d+) /.exec(head) ?? [];
  const upstream = net.connect(Number(port), '127.0.0.1').on('error', () => {});
  upstream.on('connect', () => client.write('HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n'));
  client.pipe(upstream).pipe(client);
  client.on('close', () => upstream.destroy());
  upstream.on('close', () => client.destroy());
}
