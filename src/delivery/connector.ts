import { connect as connectTcp, isIP, type Socket, type TcpNetConnectOpts } from 'node:net';
import { networkInterfaces } from 'node:os';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { EgressConfig } from '../config/config.js';
import { judgeAddress, judgeUrl } from './address-policy.js';
import {
  AttemptFailure,
  BlockedAddressError,
  failureOf,
  tlsFailure,
  toAttemptError,
} from './attempt-failure.js';
import { opened, timedOut, unlessAborted } from './opened-socket.js';
import type { PhaseClock } from './phase-clock.js';
import { type Resolve, systemResolver } from './resolver.js';

/** How long one of several addresses may take to answer before the next one is tried, in milliseconds. */
const NEXT_ADDRESS_AFTER_MS = 2_500;

export interface ConnectorOptions {
  egress: EgressConfig;
  /** @default the system's resolver */
  resolve?: Resolve;
  /** Addresses of this host. @default those of its network interfaces, read on every connect */
  ownAddresses?: () => string[];
  /** Certificates to trust, PEM. @default those of Node */
  ca?: string;
  /** Opens the TCP connection. @default `net.connect` */
  connectTcp?: (options: TcpNetConnectOpts) => Socket;
}

/** Where to connect to. `hostname` is a name or an IP address without brackets. */
export interface Target {
  protocol: 'http:' | 'https:';
  hostname: string;
  port: number;
}

/**
 * Opens every connection to a receiver, under the address policy: the name is resolved once, all its addresses are
 * judged, and one of these very addresses is dialled, so that a second DNS answer never counts.
 */
export class Connector {
  private readonly resolve: Resolve;
  private readonly ownAddresses: () => string[];

  constructor(private readonly options: ConnectorOptions) {
    this.resolve = options.resolve ?? systemResolver();
    this.ownAddresses = options.ownAddresses ?? interfaceAddresses;
  }

  /**
   * @param signal destroys the connection under way.
   * @returns a socket ready for HTTP/1.1.
   * @throws BlockedAddressError, or another AttemptFailure.
   */
  async connect(target: Target, signal: AbortSignal, clock: PhaseClock): Promise<Socket | TLSSocket> {
    const addresses = await unlessAborted(this.judgedAddresses(target), signal);
    if (isIP(target.hostname) === 0) clock.mark('dns');
    const socket = await this.dialFirst(addresses, target.port, signal);
    clock.mark('connect');
    if (target.protocol === 'http:') return socket;
    const secure = await this.secure(socket, target.hostname, signal);
    clock.mark('tls');
    return secure;
  }

  /**
   * The addresses that a connection to the target may go to.
   *
   * @throws BlockedAddressError where the policy refuses the target or any of its addresses;
   *   AttemptFailure `dns` where the name does not resolve.
   */
  async judgedAddresses({ protocol, hostname, port }: Target): Promise<string[]> {
    const own = this.ownAddresses();
    const isLiteral = isIP(hostname) !== 0;
    const host = hostname.includes(':') ? `[${hostname}]` : hostname;
    const verdict = judgeUrl(`${protocol}//${host}:${port}`, this.options.egress, own);
    if (!verdict.ok) throw new BlockedAddressError(verdict.message);
    if (isLiteral) return [hostname];
    const addresses = await this.resolved(hostname);
    if (!addresses.every((address) => judgeAddress(address, this.options.egress, own).ok)) {
      throw new BlockedAddressError('The host name resolves to an address that is not a public one.');
    }
    return addresses;
  }

  private async resolved(hostname: string): Promise<string[]> {
    const { code, message } = failureOf('dns');
    let addresses: string[];
    try {
      addresses = await this.resolve(hostname);
    } catch (error) {
      throw new AttemptFailure(code, message, { cause: error });
    }
    if (addresses.length === 0) throw new AttemptFailure(code, message);
    return addresses;
  }

  private async dialFirst(addresses: string[], port: number, signal: AbortSignal): Promise<Socket> {
    let failure: unknown;
    for (const [index, address] of addresses.entries()) {
      const isLast = index === addresses.length - 1;
      try {
        return await this.dial(address, port, signal, isLast ? 0 : NEXT_ADDRESS_AFTER_MS);
      } catch (error) {
        if (signal.aborted || error instanceof BlockedAddressError) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  private async dial(host: string, port: number, signal: AbortSignal, timeoutMs: number): Promise<Socket> {
    const socket = (this.options.connectTcp ?? connectTcp)({ host, port, noDelay: true, keepAlive: true });
    if (timeoutMs > 0) socket.setTimeout(timeoutMs, () => socket.destroy(timedOut()));
    await opened(socket, 'connect', signal, (error) => {
      const { code, message } = toAttemptError(error);
      return error instanceof AttemptFailure ? error : new AttemptFailure(code, message, { cause: error });
    });
    socket.setTimeout(0).removeAllListeners('timeout');
    const remote = socket.remoteAddress ?? '';
    if (!judgeAddress(remote, this.options.egress, this.ownAddresses()).ok) {
      socket.destroy();
      throw new BlockedAddressError('The connection led to an address that is not a public one.');
    }
    return socket;
  }

  private async secure(socket: Socket, hostname: string, signal: AbortSignal): Promise<TLSSocket> {
    const host = hostname.replace(/\.$/, '');
    const secure = connectTls({
      socket,
      host,
      // RFC 6066, section 3: no literal addresses, no trailing dot.
      ...(isIP(host) === 0 && { servername: host }),
      ALPNProtocols: ['http/1.1'],
      ca: this.options.ca,
      // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED cannot switch it off.
      rejectUnauthorized: true,
    });
    await opened(secure, 'secureConnect', signal, tlsFailure);
    return secure;
  }
}

function interfaceAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((infos) => infos?.map((info) => info.address) ?? []);
}
