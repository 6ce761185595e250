import { Resolver } from 'node:dns/promises';
import { unlessAborted } from './abortable-socket.js';

/** Of a family, and of a name: more are never dialled before an attempt's deadline, and would fill the memory. */
const MAX_ADDRESSES = 32;
/** A datagram may get lost: the query is sent again about a second later, and once more after the next one. */
const RETRANSMIT = { timeout: 500, maxTimeout: 1_000, tries: 3 };
/** The system's name servers may change while the process runs; a resolver reads them once. */
const RENEW_MS = 30_000;

/** No such name, no address of this family, or no name server at all. */
const UNKNOWN = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED']);

export interface DnsAnswer {
  addresses: string[];
  /** For how many seconds it holds. */
  ttl: number;
}

/** Asks name servers itself, without getaddrinfo, which holds one of libuv's few threads until it is done. */
export class NameServers {
  private resolver: Resolver | null = null;
  private renewedAt = 0;

  /** @param servers those of the system where left out. */
  constructor(private readonly servers?: string[]) {}

  /**
   * One family is enough: the one whose query fails has given no address that could be dialled unjudged.
   *
   * @param signal ends the waiting for a family that does not answer.
   * @returns IPv4 first, as the machine may have no way to IPv6; null where the name is not known.
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
