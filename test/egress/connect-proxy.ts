import net, { type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll } from '@jest/globals';

/** How the proxy answers CONNECT: `connect` opens the tunnel, other text is sent back, a function gets the socket. */
export type ProxyBehaviour = string | ((client: Socket) => void);

/** A proxy shared by all tests of the block. */
export function useConnectProxy(): ConnectProxy {
  const proxy = new ConnectProxy();
  beforeAll(() => proxy.listen());
  afterAll(() => proxy.close());
  return proxy;
}

/** An HTTP proxy that supports CONNECT and connects every host to this machine. */
export class ConnectProxy {
  /** The head of each request, as received. */
  readonly heads: string[] = [];
  connectionCount = 0;
  behaviour: ProxyBehaviour = 'connect';
  private readonly sockets = new Set<Socket>();
  private readonly server = net.createServer((socket) => this.accept(socket));

  static async start(): Promise<ConnectProxy> {
    const proxy = new ConnectProxy();
    await proxy.listen();
    return proxy;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** @param credentials such as `user:password@`. */
  url(credentials = ''): string {
    return `http://${credentials}127.0.0.1:${this.port}`;
  }

  get openConnections(): number {
    return this.sockets.size;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private accept(client: Socket): void {
    this.connectionCount++;
    this.track(client);
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
    if (behaviour === 'connect') this.tunnel(client, head);
    else if (typeof behaviour === 'function') behaviour(client);
    else client.write(behaviour, 'latin1');
  }

  private tunnel(client: Socket, head: string): void {
    const [, port] = /^CONNECT \S+:(\d+) /.exec(head) ?? [];
    const upstream = net.connect(Number(port), '127.0.0.1');
    this.track(upstream);
    upstream.on('connect', () => client.write('HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n'));
    client.pipe(upstream).pipe(client);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  }

  private track(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.sockets.delete(socket));
  }
}
