import net from 'node:net';

/** What is between the browser and a service: it carries bytes, and can be cut. */
export class Front {
  url = '';
  /** Ends every connection, as if the service were away. */
  isAway = false;
  private readonly sockets = new Set<net.Socket>();
  private readonly server: net.Server;

  constructor(service: string) {
    const { hostname, port } = new URL(service);
    this.server = net.createServer((socket) => {
      if (this.isAway) return void socket.destroy();
      const behind = net.connect(Number(port), hostname);
      for (const one of [socket, behind]) {
        this.sockets.add(one);
        one
          .on('error', () => {})
          .on('close', () => {
            this.sockets.delete(one);
            socket.destroy();
            behind.destroy();
          });
      }
      socket.pipe(behind).pipe(socket);
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.server.address() as net.AddressInfo).port}`;
  }

  /** Cuts what is open, too. */
  goAway(): void {
    this.isAway = true;
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.goAway();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
