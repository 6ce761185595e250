import { connect, isIPv6, type Socket, type TcpNetConnectOpts } from 'node:net';
import { type Clock, systemClock } from '../platform/clock.js';
import { untilOpen } from './abortable-socket.js';
import { failed, toFailure } from './attempt-failure.js';

/** In milliseconds. After this the next address is tried as well (RFC 8305, section 8: Connection Attempt Delay). */
const NEXT_ADDRESS_AFTER_MS = 250;
/** Connections that are being opened at a time. A name may have many addresses, and each attempt may dial them. */
const MAX_UNDER_WAY = 6;
/** The most addresses to dial in one attempt: whoever names a host could have them all dialled, each time. */
const MAX_DIALLED = 16;

/** Opens the TCP connection. */
export type ConnectTcp = (options: TcpNetConnectOpts) => Socket;

/** Dials addresses, never names. */
export class Dialler {
  constructor(
    private readonly connectTcp: ConnectTcp = connect,
    private readonly clock: Clock = systemClock,
  ) {}

  /**
   * Dials one address after the other, each while those before go on, and keeps the connection that opens first
   * (RFC 8305, section 5). The next one is dialled after 250 ms, or at once if one fails.
   *
   * @param addresses at least one. The first 16 are dialled.
   * @param onDial is told each address that is dialled.
   * @throws AttemptFailure of the address that failed last; `timeout` when the signal aborts.
   */
  first(
    addresses: readonly string[],
    port: number,
    signal: AbortSignal,
    onDial: (address: string) => void = () => {},
  ): Promise<Socket> {
    const untried = alternating(addresses).slice(0, MAX_DIALLED);
    const underWay = new Set<Socket>();
    let cancelNext = () => {};
    const end = () => {
      cancelNext();
      for (const socket of underWay) socket.destroy();
      underWay.clear();
    };
    return new Promise((resolve, reject) => {
      const dialNext = () => {
        cancelNext();
        const host = untried.shift();
        if (host === undefined) return;
        if (underWay.size === MAX_UNDER_WAY) giveUpOldest(underWay);
        onDial(host);
        const socket = this.connectTcp({ host, port, noDelay: true, keepAlive: true });
        underWay.add(socket);
        opened(socket, signal).then(
          () => {
            // Another one was first.
            if (!underWay.delete(socket)) return socket.destroy();
            end();
            resolve(socket);
          },
          (error) => {
            if (!underWay.delete(socket)) return;
            if (!signal.aborted && untried.length > 0) dialNext();
            else if (signal.aborted || underWay.size === 0) {
              end();
              reject(error);
            }
          },
        );
        if (untried.length > 0) cancelNext = this.clock.after(NEXT_ADDRESS_AFTER_MS, dialNext);
      };
      dialNext();
    });
  }
}

async function opened(socket: Socket, signal: AbortSignal): Promise<void> {
  await untilOpen(socket, 'connect', signal, toFailure);
  // A socket whose peer is already gone has no remote address.
  if (socket.remoteAddress !== undefined) return;
  socket.destroy();
  throw failed('connection_reset');
}

/** It had the most time. */
function giveUpOldest(underWay: Set<Socket>): void {
  const [oldest] = underWay;
  if (oldest === undefined) return;
  underWay.delete(oldest);
  oldest.destroy();
}

/** The families in turn, as often one of them leads nowhere as a whole (RFC 8305, section 4). */
function alternating(addresses: readonly string[]): string[] {
  const begin = addresses.map(isIPv6);
  const ofFamily = (family: boolean | undefined) => addresses.filter((_, index) => begin[index] === family);
  const [first, second] = [ofFamily(begin[0]), ofFamily(!begin[0])];
  const pairs = Array.from({ length: addresses.length }, (_, at) => [first[at], second[at]]);
  return pairs.flat().filter((address) => address !== undefined);
}
