import type { Call } from './call.js';
import { outsideOfContexts } from './contexts.js';
import { InOrder } from './in-order.js';
import { type PartsOptions, runInParts } from './parts.js';
import { databaseUnavailable } from './problem.js';

interface Waiting<T, R> {
  item: T;
  bytes: number;
  call: Call | null;
  resolve(result: R): void;
  reject(error: unknown): void;
}

export interface BatcherOptions<T> extends Partial<PartsOptions<T>> {
  /** The most items in a batch. */
  maxItems: number;
  /** How long the first item waits for others, in milliseconds; 0 means until the end of this turn of the event loop. */
  lingerMs?: number;
  /** The least time between the starts of two batches, in milliseconds. An item that arrives after a pause does not wait. */
  everyMs?: number;
  /** How many batches may run at once. */
  parallel?: number;
  /** How many items may wait; further ones are refused. @default 50,000 */
  maxWaiting?: number;
  /** How many bytes may wait. @default 64 MiB */
  maxWaitingBytes?: number;
  /** The size of an item in bytes. @default 0 */
  bytesOf?: (item: T) => number;
}

/**
 * Runs many small pieces of work as few large ones (group commit): while one batch runs, the next one fills.
 *
 *   waiting ──its call is refused──► withdrawn: never run
 *   waiting ──taken into a batch──► running ──► answered, or rejected with its batch
 */
export class Batcher<T, R> {
  /** In order of arrival. */
  private waiting = new Set<Waiting<T, R>>();
  private waitingBytes = 0;
  private running = 0;
  private gathering = false;
  /** When the next batch may start, by performance.now(). */
  private startAt = 0;
  private readonly order = new InOrder();
  private readonly options: Required<BatcherOptions<T>>;

  /**
   * @param run takes the items of a batch and returns one result per item, in order. If it rejects, every item rejects. Where it
   * waits for `afterEarlier`, all batches that began earlier have ended then, with all parts in which they ran.
   */
  constructor(
    private readonly run: (items: T[], afterEarlier: () => Promise<void>) => Promise<R[]>,
    options: BatcherOptions<T>,
  ) {
    this.options = {
      lingerMs: 0,
      everyMs: 0,
      parallel: 1,
      maxWaiting: 50_000,
      maxWaitingBytes: 64 * 1024 * 1024,
      bytesOf: () => 0,
      isAboutItem: () => false,
      isOwnFault: () => false,
      keysOf: () => [],
      maxInVain: Number.POSITIVE_INFINITY,
      ...options,
    };
  }

  /**
   * @param call the item's call, if refusing the call should withdraw the item.
   * @throws Problem 503 if too much is waiting already, or if the item was withdrawn
   */
  add(item: T, call: Call | null = null): Promise<R> {
    const { maxWaiting, maxWaitingBytes, bytesOf } = this.options;
    const bytes = bytesOf(item);
    if (this.waiting.size >= maxWaiting || this.waitingBytes + bytes > maxWaitingBytes)
      return Promise.reject(databaseUnavailable());
    return new Promise((resolve, reject) => {
      const one = { item, bytes, call, resolve, reject };
      this.waiting.add(one);
      this.waitingBytes += bytes;
      call?.wait(() => {
        this.remove(one);
        reject(databaseUnavailable());
      });
      this.gather();
    });
  }

  private remove(one: Waiting<T, R>): void {
    this.waiting.delete(one);
    this.waitingBytes -= one.bytes;
  }

  private gather(): void {
    const { lingerMs, parallel } = this.options;
    if (this.gathering || this.running === parallel || this.waiting.size === 0) return;
    this.gathering = true;
    // A batch belongs to no single call, not even to the call of its first item.
    const waitMs = Math.max(lingerMs, this.startAt - performance.now());
    outsideOfContexts(() => {
      if (waitMs > 0) setTimeout(() => void this.drain(), waitMs);
      else setImmediate(() => void this.drain());
    });
  }

  private async drain(): Promise<void> {
    const { maxItems, lingerMs, everyMs } = this.options;
    this.gathering = false;
    // Another run may already have taken the items.
    if (this.waiting.size === 0) return;
    this.running++;
    // Items that arrived during the run go at once, unless they should linger and would make only a small batch.
    do {
      this.startAt = performance.now() + everyMs;
      const batch = this.take();
      this.gather();
      await this.order.inOrder((afterEarlier) => this.answer(batch, afterEarlier));
    } while (this.waiting.size > (lingerMs + everyMs > 0 ? maxItems / 2 : 0));
    this.running--;
    this.gather();
  }

  private take(): Waiting<T, R>[] {
    const batch: Waiting<T, R>[] = [];
    for (const one of this.waiting) {
      if (batch.length === this.options.maxItems) break;
      this.remove(one);
      one.call?.handOver();
      batch.push(one);
    }
    // A set that is filled and emptied for ever keeps what went through it from being collected young: each table that
    // it outgrows points to the next one, and one that has become old keeps them all.
    if (this.waiting.size === 0) this.waiting = new Set();
    return batch;
  }

  /** Runs a batch. Items that are at fault do not take the others with them. */
  private async answer(batch: Waiting<T, R>[], afterEarlier: () => Promise<void>): Promise<void> {
    const keysOf = ({ item }: Waiting<T, R>) => this.options.keysOf(item);
    const failed = await runInParts(batch, (part) => this.runPart(part, afterEarlier), {
      ...this.options,
      keysOf,
    });
    for (const { items, error } of failed)
      for (const { call, reject } of items) {
        call?.end(error);
        reject(error);
      }
  }

  private async runPart(part: Waiting<T, R>[], afterEarlier: () => Promise<void>): Promise<void> {
    const items = part.map(({ item }) => item);
    const results = await this.run(items, afterEarlier);
    for (const [index, { call, resolve }] of part.entries()) {
      call?.end();
      resolve(results[index] as R);
    }
  }
}
