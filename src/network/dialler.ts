import { connect, type Socket, type TcpNetConnectOpts } from 'node:net';
import { timedOut, untilOpen } from './abortable-socket.js';
import { failed, toFailure } from './attempt-failure.js';

/** In milliseconds. After this, the next of several addresses is tried. */
const NEXT_ADDRESS_AFTER_MS = 2_500;

/** Opens the TCP connection. */
export type ConnectTcp = (options: TcpNetConnectOpts) => Socket;

/** Dials addresses, never names. */
export class Dialler {
  constructor(private readonly connectTcp: ConnectTcp = connect) {}

  /**
   * @param addresses tried in turn, until one answers.
   * @throws AttemptFailure of the last address tried.
   */
  async first(addresses: string[], port: number, signal: AbortSignal): Promise<Socket> {
    let failure: unknown;
    for (const [index, address] of addresses.entries()) {
      const isLast = index === addresses.length - 1;
      try {
        return await this.dial(address, port, signal, isLast ? 0 : NEXT_ADDRESS_AFTER_MS);
      } catch (error) {
        if (signal.aborted) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  private async dial(host: string, port: number, signal: AbortSignal, timeoutMs: number): Promise<Socket> {
    const socket = this.connectTcp({ host, port, noDelay: true, keepAlive: true });
    if (timeoutMs > 0) socket.setTimeout(timeoutMs, () => socket.destroy(timedOut()));
    await untilOpen(socket, 'connect', signal, toFailure);
    socket.setTimeout(0).removeAllListeners('timeout');
    // A socket whose peer is already gone has no remote address.
    if (socket.remoteAddress === undefined) {
      socket.destroy();
      throw failed('connection_reset');
    }
    return socket;
  }
}
