import { lookup } from 'node:dns/promises';
import { timedOut, unlessAborted } from './abortable-socket.js';
import type { DnsAnswer } from './name-servers.js';

/** Lookups at once: each holds one of libuv's four threads for as long as the system tries. */
const PARALLEL = 2;
/** The system does not tell for how long an answer holds. In seconds. */
const TTL = 10;

/** The system's own resolver, `/etc/hosts` and search domains included. */
export async function getaddrinfo(hostname: string): Promise<string[]> {
  const found = await lookup(hostname, { all: true, order: 'verbatim' });
  return found.map(({ address }) => address);
}

/** Asks the system, a few names at a time. */
export class SystemLookup {
  private free = PARALLEL;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly lookup: (hostname: string) => Promise<string[]>) {}

  /** @returns no addresses for a name that the system does not know either. */
  async find(hostname: string, signal: AbortSignal): Promise<DnsAnswer> {
    await this.turn(signal);
    const found = this.lookup(hostname)
      .catch(() => [])
      .finally(() => this.pass());
    return { addresses: await unlessAborted(found, signal), ttl: TTL };
  }

  private turn(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(timedOut());
    if (this.free > 0) {
      this.free--;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const begin = () => {
        signal.removeEventListener('abort', abort);
        resolve();
      };
      const abort = () => {
        this.waiting.delete(begin);
        reject(timedOut());
      };
      this.waiting.add(begin);
      signal.addEventListener('abort', abort, { once: true });
    });
  }

  /** Hands the turn on; that of a caller who has given up ends only when the system does. */
  private pass(): void {
    const [next] = this.waiting;
    if (next === undefined) this.free++;
    else {
      this.waiting.delete(next);
      next();
    }
  }
}
