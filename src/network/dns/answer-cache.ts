import { LRUCache } from 'lru-cache';

const MAX_NAMES = 10_000;
/** In seconds. A TTL of 0 means "do not cache", but then a burst of connections would ask the server once each. */
const MIN_TTL = 1;
/** In seconds. */
const MAX_TTL = 300;

/** The addresses of up to 10,000 host names, each kept for its TTL; past that, the least recently used name goes. */
export class AnswerCache {
  private readonly answers: LRUCache<string, string[]>;

  /** @param now milliseconds, of a clock that is never set. */
  constructor(now: () => number = () => performance.now()) {
    // Plus 1, because lru-cache never expires an entry that was stored at time 0.
    this.answers = new LRUCache({ max: MAX_NAMES, ttlResolution: 0, perf: { now: () => now() + 1 } });
  }

  get(hostname: string): string[] | undefined {
    return this.answers.get(hostname);
  }

  /** @param ttl seconds, kept between 1 and 300. */
  set(hostname: string, addresses: string[], ttl: number): void {
    const seconds = Math.min(Math.max(ttl, MIN_TTL), MAX_TTL);
    // Minus 1, because lru-cache still returns an entry whose age equals its TTL.
    this.answers.set(hostname, addresses, { ttl: seconds * 1000 - 1 });
  }
}
