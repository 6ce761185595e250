import { lookup } from 'node:dns/promises';
import { unlessAborted } from '../abortable-socket.js';
import { failed } from '../attempt-failure.js';
import type { DnsAnswer } from './name-servers.js';

/** Lookups at a time. Each holds one of libuv's four threads until the system gives up. */
const PARALLEL = 2;
/** In seconds; the system does not report a TTL. */
const TTL = 10;

/** Asks the system's resolver, which includes `/etc/hosts` and search domains. */
export async function getaddrinfo(hostname: string): Promise<string[]> {
  const found = await lookup(hostname, { all: true, order: 'verbatim' });
  return found.map(({ address }) => address);
}

/** Asks the system for a few names at a time; other callers wait. */
export class SystemLookup {
  private free = PARALLEL;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly lookup: (hostname: string) => Promise<string[]>) {}

  /**
   * @returns no addresses for a name that the system does not know.
   * @throws AttemptFailure `timeout` when the signal aborts.
   */
  async find(hostname: string, signal: AbortSignal): Promise<DnsAnswer> {
    await this.waitForPlace(signal);
    const found = this.lookup(hostname)
      .catch(() => [])
      .finally(() => this.pass());
    return { addresses: await unlessAborted(found, signal), ttl: TTL };
  }

  private waitForPlace(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(failed('timeout'));
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
        reject(failed('timeout'));
      };
      this.waiting.add(begin);
      signal.addEventListener('abort', abort, { once: true });
    });
  }

  /** Passes the place to the next caller. An aborted caller's place comes free only when its lookup ends. */
  private pass(): void {
    const [next] = this.waiting;
    if (next === undefined) this.free++;
    else {
      this.waiting.delete(next);
      next();
    }
  }
}
