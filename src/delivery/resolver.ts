import { lookup } from 'node:dns/promises';

/**
 * All addresses of a host name, IPv4 and IPv6, in the order in which they should be tried; never empty.
 * Rejects where there are none.
 */
export type Resolve = (hostname: string) => Promise<string[]>;

/** The system's resolver, `/etc/hosts` included. Callers that ask for the same name at once share a query. */
export function systemResolver(): Resolve {
  // getaddrinfo holds one of libuv's few threads: a name whose server is slow must not take them all.
  const underWay = new Map<string, Promise<string[]>>();
  return (hostname) => {
    let query = underWay.get(hostname);
    if (query === undefined) {
      query = lookup(hostname, { all: true, order: 'verbatim' })
        .then((answers) => answers.map((answer) => answer.address))
        .finally(() => underWay.delete(hostname));
      underWay.set(hostname, query);
    }
    return query;
  };
}
