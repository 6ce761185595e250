import type net from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A local server on a free port that tracks its connections. */
export class LocalServer {
  /** Connections accepted so far. */
  connectionCount = 0;
  /** Open connections. */
  protected readonly sockets = new Set<Socket>();

  constructor(
    protected readonly server: net.Server,
    private readonly scheme: 'http' | 'https' = 'http',
    private readonly host = '127.0.0.1',
  ) {
    server.on('connection', (socket: Socket) => {
      this.connectionCount++;
      this.sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.sockets.delete(socket);
        this.connectionsChanged();
      });
      this.connectionsChanged();
    });
  }

  /** The base URL, without a trailing slash. */
  get url(): string {
    const host = this.host.includes(':') ? `[${this.host}]` : this.host;
    return `${this.scheme}://${host}:${this.port}`;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get openConnections(): number {
    return this.sockets.size;
  }

  /** Listens on a new free port and counts connections anew. */
  async listen(): Promise<void> {
    this.connectionCount = 0;
    await new Promise<void>((resolve) => this.server.listen(0, this.host, resolve));
  }

  /** Cuts every connection immediately. */
  disconnect(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.disconnect();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  /** Called after a connection is opened or closed. */
  protected connectionsChanged(): void {}
}
