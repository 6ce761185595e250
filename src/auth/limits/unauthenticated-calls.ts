import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import type { Problem } from '../../platform/problem.js';
import { clientNetwork } from './client-network.js';
import { rateLimited, secondsLeft, windowStartAt } from './rate-window.js';

const MAX_NETWORKS = 10_000;
const MAX_KEYS = 10_000;

/**
 * Limits how often a client address gets a 401. Past the limit its calls are refused before their key is looked up, which
 * slows down guessing. Keys that were valid here before are still looked up, so that a stranger behind the same address,
 * such as a proxy's, cannot lock their owners out.
 */
@Injectable()
export class UnauthenticatedCalls {
  private readonly limit: number;
  private windowStart = 0;
  /** Calls answered 401 in this window, by network. */
  private readonly failures = new LRUCache<string, number>({ max: MAX_NETWORKS });
  /** Hashes of the keys that were found valid most recently. */
  private readonly knownKeys = new LRUCache<string, true>({ max: MAX_KEYS });

  constructor(
    @Inject(SETTINGS) settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.limit = settings.unauthenticatedRateLimitPerMinute;
  }

  /** @throws Problem 429 if the address has used up its failures and the key is not a known one. */
  admit(address: string | undefined, keyHash: string | null): void {
    if (this.failures.size === 0 || address === undefined) return;
    this.forgetOldWindow();
    const count = this.failures.get(clientNetwork(address)) ?? 0;
    if (count >= this.limit && !(keyHash && this.knownKeys.has(keyHash))) throw this.tooMany();
  }

  /** @throws Problem 429 if the address has used up its failures, counting concurrent calls. */
  failed(address: string | undefined, keyHash: string | null): void {
    if (keyHash) this.knownKeys.delete(keyHash);
    if (this.limit === 0 || address === undefined) return;
    this.forgetOldWindow();
    const network = clientNetwork(address);
    const count = (this.failures.get(network) ?? 0) + 1;
    if (count > this.limit) throw this.tooMany();
    this.failures.set(network, count);
  }

  succeeded(keyHash: string): void {
    if (this.limit > 0) this.knownKeys.set(keyHash, true);
  }

  private forgetOldWindow(): void {
    const start = windowStartAt(this.clock.now());
    if (start === this.windowStart) return;
    this.windowStart = start;
    this.failures.clear();
  }

  private tooMany(): Problem {
    const seconds = secondsLeft(this.windowStart, this.clock.now());
    return rateLimited('without a valid key from this address', seconds);
  }
}
