import { systemClock } from '../../platform/clock.js';
import { AnswerCache } from './answer-cache.js';
import { NameServers } from './name-servers.js';
import { getaddrinfo, SystemLookup } from './system-lookup.js';

/** In milliseconds. Limits the whole resolution of a name. */
const BUDGET_MS = 2_000;
/** In seconds. How long a name without addresses is cached. */
const UNKNOWN_TTL = 1;

/**
 * Resolves a host name to its IPv4 and IPv6 addresses, in the order to try them; to none if it has none. Rejects if
 * that cannot be known now.
 */
export type Resolve = (hostname: string) => Promise<string[]>;

export interface ResolverOptions {
  /** Name servers, such as `192.0.2.53` or `192.0.2.53:5353`. @default the system's */
  servers?: string[];
  /** Asked for names that the name servers do not know. @default getaddrinfo */
  lookup?: Resolve;
  /** In milliseconds; the age of cached answers. @default a monotonic clock */
  now?: () => number;
}

/**
 * Resolves names within 2 s, whatever the name servers do. It asks them for IPv4 and IPv6 at once, and asks the system,
 * which reads `/etc/hosts`, for names that they do not know. Answers are cached for their TTL. Callers that ask for the
 * same name at the same time share one query.
 */
export function systemResolver({ servers, lookup, now }: ResolverOptions = {}): Resolve {
  const cache = new AnswerCache(now);
  const nameServers = new NameServers(servers);
  const system = new SystemLookup(lookup ?? getaddrinfo);
  const underWay = new Map<string, Promise<string[]>>();

  const ask = async (hostname: string): Promise<string[]> => {
    const budget = new AbortController();
    const cancel = systemClock.after(BUDGET_MS, () => budget.abort());
    try {
      const known = isForNameServers(hostname) ? await nameServers.find(hostname, budget.signal) : null;
      const { addresses, ttl } = known ?? (await system.find(hostname, budget.signal));
      cache.set(hostname, addresses, addresses.length > 0 ? ttl : UNKNOWN_TTL);
      return addresses;
    } finally {
      cancel();
      underWay.delete(hostname);
    }
  };

  return (hostname) => {
    const cached = cache.get(hostname);
    if (cached !== undefined) return Promise.resolve(cached);
    const query = underWay.get(hostname) ?? ask(hostname);
    underWay.set(hostname, query);
    return query;
  };
}

/** Only the system is asked for names without a dot and for `localhost` (RFC 6761): both work without a network. */
function isForNameServers(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  return name.includes('.') && !name.endsWith('.localhost');
}
