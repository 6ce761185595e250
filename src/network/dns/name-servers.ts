import { Resolver } from 'node:dns/promises';
import { unlessAborted } from '../abortable-socket.js';

/** Per name and address family. No attempt dials more, and they would take memory. */
const MAX_ADDRESSES = 32;
/** Datagrams get lost: a query is sent up to three times, about a second apart. */
const RETRANSMIT = { timeout: 500, maxTimeout: 1_000, tries: 3 };
/** In milliseconds. A resolver reads the system's name servers once, but they may change later. */
const RENEW_MS = 30_000;

/** The name does not exist, has no address of this family, or there is no name server. */
const UNKNOWN = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED']);

export interface DnsAnswer {
  addresses: string[];
  /** In seconds. */
  ttl: number;
}

/** Queries name servers directly. getaddrinfo would hold one of libuv's four threads until it is done. */
export class NameServers {
  private resolver: Resolver | null = null;
  private renewedAt = 0;

  /** @param servers @default the system's */
  constructor(private readonly servers?: string[]) {}

  /**
   * One family is enough: the other one's failed query gave no address, so none can be dialled unjudged.
   *
   * @param signal ends the wait for a family that does not answer.
   * @returns IPv4 addresses first, as the machine may have no IPv6 route; null if the name is unknown.
   * @throws the error of a query if neither family answered and one failed.
   */
  async find(hostname: string, signal: AbortSignal): Promise<DnsAnswer | null> {
    const resolver = this.current();
    const families = await Promise.allSettled([
      unlessAborted(resolver.resolve4(hostname, { ttl: true }), signal),
      unlessAborted(resolver.resolve6(hostname, { ttl: true }), signal),
    ]);
    const records = families.flatMap((family) =>
      family.status === 'fulfilled' ? family.value.slice(0, MAX_ADDRESSES) : [],
    );
    if (records.length > 0) {
      return {
        addresses: records.map(({ address }) => address),
        ttl: Math.min(...records.map(({ ttl }) => ttl)),
      };
    }
    for (const family of families) {
      if (family.status === 'rejected' && !UNKNOWN.has(family.reason.code)) throw family.reason;
    }
    return null;
  }

  private current(): Resolver {
    if (this.resolver !== null && (this.servers || performance.now() - this.renewedAt < RENEW_MS)) {
      return this.resolver;
    }
    this.resolver = new Resolver(RETRANSMIT);
    if (this.servers) this.resolver.setServers(this.servers);
    this.renewedAt = performance.now();
    return this.resolver;
  }
}
