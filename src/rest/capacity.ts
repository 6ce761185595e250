import type { ServerResponse } from 'node:http';
import type { Problem } from '../platform/problem.js';
import { onAnswered } from './on-answered.js';

interface CapacityOptions {
  /** How much all clients may have together. */
  total: number;
  /** How much one client may have. @default as much as is left for the others */
  ofClient?: number;
  /** What a client is told who has waited in vain. */
  refusal: () => Problem;
}

/** Calls of one client that wait. */
const MAX_WAITING = 100;
const MAX_WAIT_MS = 3000;

interface Waiting {
  client: string;
  size: number;
  enter(): void;
}

/** Limits how much of something calls have at once, so that no client can have so much that others wait for it. */
export class Capacity {
  private readonly taken = new Map<string, number>();
  private free: number;
  /** In order of arrival. */
  private readonly waiting = new Set<Waiting>();

  constructor(private readonly options: CapacityOptions) {
    this.free = options.total;
  }

  /**
   * Waits for a part, and gives it back when the call has been answered, or its connection has ended.
   *
   * @returns false if that was so before there was one.
   * @throws Problem as {@link take} does
   */
  async takeUntilAnswered(client: string, size: number, response: ServerResponse): Promise<boolean> {
    const answered = new AbortController();
    onAnswered(response, () => answered.abort());
    const giveBack = await this.take(client, size, answered.signal);
    if (!giveBack) return false;
    if (answered.signal.aborted) giveBack();
    else answered.signal.addEventListener('abort', giveBack);
    return true;
  }

  /**
   * Takes a part, or waits for it. Resolves with a function that gives it back, or with null if `gone` is aborted first.
   *
   * @throws Problem the refusal, if too many of this client wait, or nothing comes free within 3 s.
   */
  take(client: string, size: number, gone: AbortSignal): Promise<(() => void) | null> {
    if (gone.aborted) return Promise.resolve(null);
    if (this.fits(client, size)) return Promise.resolve(this.enter(client, size));
    const ahead = [...this.waiting].filter((one) => one.client === client).length;
    if (ahead >= MAX_WAITING) return Promise.reject(this.options.refusal());
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        gone.removeEventListener('abort', giveUp);
        this.waiting.delete(waiting);
      };
      const giveUp = () => {
        leave();
        resolve(null);
      };
      const waiting: Waiting = {
        client,
        size,
        enter: () => {
          leave();
          resolve(this.enter(client, size));
        },
      };
      const timer = setTimeout(() => {
        leave();
        reject(this.options.refusal());
      }, MAX_WAIT_MS);
      gone.addEventListener('abort', giveUp);
      this.waiting.add(waiting);
    });
  }

  private fits(client: string, size: number): boolean {
    const { ofClient = this.free } = this.options;
    return size <= this.free && (this.taken.get(client) ?? 0) + size <= ofClient;
  }

  private enter(client: string, size: number): () => void {
    this.add(client, size);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      this.add(client, -size);
      this.next();
    };
  }

  private next(): void {
    for (const one of this.waiting) {
      if (this.free === 0) return;
      if (this.fits(one.client, one.size)) one.enter();
    }
  }

  private add(client: string, size: number): void {
    this.free -= size;
    const taken = (this.taken.get(client) ?? 0) + size;
    if (taken === 0) this.taken.delete(client);
    else this.taken.set(client, taken);
  }
}
