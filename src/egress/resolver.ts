import { AnswerCache } from './answer-cache.js';
import { NameServers } from './name-servers.js';
import { getaddrinfo, SystemLookup } from './system-lookup.js';

/** Over all that it takes to resolve a name, in milliseconds. */
const BUDGET_MS = 2_000;
/** How long a name that nobody knows stays unknown, in seconds. */
const UNKNOWN_TTL = 1;

/**
 * The addresses of a host name, IPv4 and IPv6, in the order in which they should be tried; empty where it has none.
 * Rejects where that cannot be known now.
 */
export type Resolve = (hostname: string) => Promise<string[]>;

export interface ResolverOptions {
  /** Name servers, such as `192.0.2.53` or `192.0.2.53:5353`. @default the system's */
  servers?: string[];
  /** Asked for what name servers do not know. @default getaddrinfo */
  lookup?: Resolve;
  /** Milliseconds; answers age by it. @default a clock that nobody sets */
  now?: () => number;
}

/**
 * Resolves names in 2 s at most, whatever name servers do: by asking them, IPv4 and IPv6 at once, and for names that
 * they do not know by asking the system, which knows `/etc/hosts`. Answers are kept for as long as they say. Callers that
 * ask for the same name at once share the query.
 */
export function systemResolver({ servers, lookup, now }: ResolverOptions = {}): Resolve {
  const cache = new AnswerCache(now);
  const nameServers = new NameServers(servers);
  const system = new SystemLookup(lookup ?? getaddrinfo);
  const underWay = new Map<string, Promise<string[]>>();

  const ask = async (hostname: string): Promise<string[]> => {
    const budget = new AbortController();
    const timer = setTimeout(() => budget.abort(), BUDGET_MS);
    try {
      const known = isForNameServers(hostname) ? await nameServers.find(hostname, budget.signal) : null;
      const { addresses, ttl } = known ?? (await system.find(hostname, budget.signal));
      cache.set(hostname, addresses, addresses.length > 0 ? ttl : UNKNOWN_TTL);
      return addresses;
    } finally {
      clearTimeout(timer);
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

/** Names without a dot are the system's alone, and so is `localhost` (RFC 6761): both work without a network. */
function isForNameServers(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  return name.includes('.') && !name.endsWith('.localhost');
}
