import net, { type AddressInfo, type Socket } from 'node:net';

/** A proxy between the service and its database that can simulate network failures. */
export class FaultyProxy {
  private readonly sockets = new Set<Socket>();
  private frozen = false;
  private refusing = false;
  private readonly server = net.createServer((socket) => this.accept(socket));

  private constructor(
    private readonly host: string,
    private readonly targetPort: number,
  ) {}

  /** @param url of the database; {@link url} reaches it through the proxy. */
  static async before(url: string): Promise<{ proxy: FaultyProxy; url: string }> {
    const target = new URL(url);
    const proxy = new FaultyProxy(target.hostname, Number(target.port || 3306));
    await proxy.listen(0);
    target.hostname = '127.0.0.1';
    target.port = String(proxy.port);
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

  /** Restores normal operation. */
  heal(): void {
    this.refusing = false;
    this.frozen = false;
    for (const socket of this.sockets) socket.resume();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  private listen(port: number): Promise<void> {
    return new Promise((resolve) => this.server.listen(port, '127.0.0.1', resolve));
  }

  private accept(client: Socket): void {
    if (this.refusing) {
      client.resetAndDestroy();
      return;
    }
    const upstream = net.connect(this.targetPort, this.host);
    this.join(client, upstream);
    this.join(upstream, client);
  }

  private join(from: Socket, to: Socket): void {
    this.sockets.add(from);
    from
      .on('data', (chunk) => to.write(chunk))
      .on('error', () => {})
      .on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
    if (this.frozen) from.pause();
  }
}
