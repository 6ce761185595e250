import { isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { Clock } from '../platform/clock.js';
import type { EgressConfig } from '../platform/config/settings.js';
import { unlessAborted, untilOpen } from './abortable-socket.js';
import { faultOfAddress, faultOfUrl, NOT_PUBLIC } from './address/address-policy.js';
import { interfaceAddresses } from './address/own-addresses.js';
import { AttemptFailure, BlockedAddressError, failed, tlsFailure } from './attempt-failure.js';
import { type ConnectTcp, Dialler } from './dialler.js';
import { type Resolve, systemResolver } from './dns/resolver.js';
import type { PhaseClock } from './phase-clock.js';
import { EgressProxy } from './proxy/egress-proxy.js';
import { watchCertificate } from './tls/certificate-facts.js';
import { NOTHING } from './tls/certificates/measure.js';
import { type ClientContext, contextOf, type NamedTls, TLS_BOUNDS } from './tls/client-tls.js';
import { JudgedSocket } from './tls/handshake/judged-socket.js';

export interface ConnectorOptions {
  egress: EgressConfig;
  /** @default the system's name servers */
  resolve?: Resolve;
  /** Addresses of this host. @default those of its network interfaces */
  ownAddresses?: () => readonly string[];
  /** Certificates to trust, PEM. @default those of Node */
  ca?: string;
  /** @default `net.connect` */
  connectTcp?: ConnectTcp;
  /** When a further address is dialled. @default the system's */
  clock?: Clock;
}

/** The address to connect to. `hostname` is a name, or an IP address without brackets. */
export interface Target {
  protocol: 'http:' | 'https:';
  hostname: string;
  port: number;
  /** In place of what the service shows and trusts. */
  tls?: NamedTls | undefined;
}

/**
 * Opens every connection to a receiver, under the address policy. The name is resolved once, all its addresses are
 * judged, and only those addresses are dialled, so a second DNS answer never matters. With a proxy, names are not
 * resolved here, and the proxy judges addresses.
 */
export class Connector {
  private readonly resolve: Resolve;
  private readonly ownAddresses: () => readonly string[];
  private readonly dialler: Dialler;
  private readonly proxy: EgressProxy | null;

  constructor(private readonly options: ConnectorOptions) {
    this.resolve = options.resolve ?? systemResolver();
    this.ownAddresses = options.ownAddresses ?? interfaceAddresses();
    this.dialler = new Dialler(options.connectTcp, options.clock);
    const { proxy } = options.egress;
    this.proxy = proxy === null ? null : new EgressProxy(proxy, this.resolve, this.dialler);
  }

  /**
   * @param signal aborts the connect and destroys its socket.
   * @returns a socket ready for HTTP/1.1.
   * @throws BlockedAddressError, or another AttemptFailure.
   */
  async connect(target: Target, signal: AbortSignal, clock: PhaseClock): Promise<Socket | TLSSocket> {
    clock.current = isIP(target.hostname) === 0 && this.proxy === null ? 'dns' : 'connect';
    const socket = await this.open(target, signal, clock);
    clock.mark('connect');
    if (target.protocol === 'https:') clock.current = 'tls';
    const ready = target.protocol === 'http:' ? socket : await this.secure(socket, target, signal);
    if (ready !== socket) clock.mark('tls');
    clock.current = 'answer';
    return ready;
  }

  /**
   * The addresses that a connection to the target may dial. Empty with a proxy, which resolves the name itself.
   *
   * @throws BlockedAddressError if the policy refuses the target or any of its addresses;
   *   AttemptFailure `dns` if the name does not resolve.
   */
  async judgedAddresses(target: Target): Promise<string[]> {
    const own = this.ownAddresses();
    const { hostname } = target;
    const fault = faultOfUrl(`${target.protocol}//${authorityOf(target)}`, this.options.egress, own);
    if (fault !== null) throw new BlockedAddressError(fault);
    if (this.proxy !== null) return [];
    if (isIP(hostname) !== 0) return [hostname];
    const addresses = await this.resolved(hostname);
    if (addresses.some((address) => faultOfAddress(address, this.options.egress, own) !== null))
      throw new BlockedAddressError(NOT_PUBLIC.answer);
    return addresses;
  }

  private async open(target: Target, signal: AbortSignal, clock: PhaseClock): Promise<Socket> {
    const addresses = await unlessAborted(this.judgedAddresses(target), signal);
    if (this.proxy !== null) return this.proxy.open(authorityOf(target), signal);
    if (isIP(target.hostname) === 0) clock.mark('dns');
    clock.current = 'connect';
    const socket = await this.dialler.first(addresses, target.port, signal, (address) =>
      clock.dialled.push(address),
    );
    clock.dialled = [];
    const remote = socket.remoteAddress ?? '';
    if (faultOfAddress(remote, this.options.egress, this.ownAddresses()) === null) return socket;
    socket.destroy();
    throw new BlockedAddressError('The connection led to an address that is not a public one.');
  }

  private async resolved(hostname: string): Promise<string[]> {
    let addresses: string[];
    try {
      addresses = await this.resolve(hostname);
    } catch (error) {
      throw failed('dns', { cause: error });
    }
    if (addresses.length === 0) throw failed('dns', {}, { reason: 'ENOTFOUND' });
    return addresses;
  }

  private async secure(socket: Socket, { hostname, tls }: Target, signal: AbortSignal): Promise<TLSSocket> {
    const host = hostname.replace(/\.$/, '');
    const { trusted, ...identity } =
      tls === undefined
        ? { ca: this.options.ca, ...TLS_BOUNDS, trusted: NOTHING }
        : this.context(tls, socket);
    const judged = new JudgedSocket(socket, trusted);
    const secure = connectTls({
      socket: judged,
      host,
      // RFC 6066, section 3: a server name is no IP address and has no trailing dot.
      ...(isIP(host) === 0 && { servername: host }),
      ALPNProtocols: ['http/1.1'],
      ...identity,
      // Explicit, so NODE_TLS_REJECT_UNAUTHORIZED cannot switch it off.
      rejectUnauthorized: true,
    });
    judged.watch(secure);
    const shown = watchCertificate(secure);
    await untilOpen(secure, 'secureConnect', signal, (error) => tlsFailure(error, shown()));
    return secure;
  }

  /** The values were tried when they were saved, but OpenSSL may have become stricter since. */
  private context(tls: NamedTls, socket: Socket): ClientContext {
    try {
      return contextOf(tls, this.options.ca);
    } catch (error) {
      socket.destroy();
      throw new AttemptFailure('tls', 'The TLS certificate or key of the webhook cannot be used.', {
        cause: error,
      });
    }
  }
}

const authorityOf = ({ hostname, port }: Target) =>
  `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`;
