import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from './backoff.js';
import type { IntakeOutcome } from './intake-handler.js';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;

export type Handle = () => Promise<IntakeOutcome>;

interface OutageEvents {
  /** The database is away. */
  begun(detail: string): void;
  /** It was asked once more, in vain. */
  retried(): void;
  ended(): void;
}

/** A message that waits for the end of an outage. */
interface Waiting {
  handle: Handle;
  isWanted(): boolean;
  /** @param outcome null if the outage is over without its having been tried. */
  resolve(outcome: IntakeOutcome | null): void;
  reject(error: unknown): void;
}

/** An outage that is not over. */
interface Current {
  over: PromiseWithResolvers<void>;
  waiting: Waiting[];
}

/**
 * While the database is away, the message that found it away is tried again and again, in turn with others, and all wait for it.
 *
 *   there ──a message finds it away──► away, that message is tried in turn with others ──one is stored, or refused──► there
 *
 * Others are tried as well because the first may be the only one that the database does not take: somebody keeps a row of it
 * locked, or its notification takes too long each time. Then it is the first that goes on waiting, by itself.
 */
export class Outage {
  private current: Current | null = null;

  constructor(
    private readonly events: OutageEvents,
    private readonly stop: AbortSignal,
  ) {}

  /** Resolves when the database is there, or when the intake stops. */
  async over(): Promise<void> {
    while (this.current) await this.current.over.promise;
  }

  /**
   * Handles a message once the database is there.
   *
   * @param isWanted whether it still matters: not if the broker has it back.
   * @returns its outcome, which is `not_now` if only this message finds the database away; null if it matters no more, or if the
   * intake stops.
   * @throws what `handle` throws
   */
  async handle(handle: Handle, isWanted: () => boolean): Promise<IntakeOutcome | null> {
    for (;;) {
      const known = this.current && (await this.wait(this.current, handle, isWanted));
      if (known) return known;
      if (this.stop.aborted || !isWanted()) return null;
      if (this.current) continue;
      const outcome = await handle();
      if (!isAway(outcome)) return outcome;
      if (!this.current) return this.probe(handle, outcome);
    }
  }

  private wait({ waiting }: Current, handle: Handle, isWanted: () => boolean): Promise<IntakeOutcome | null> {
    return new Promise((resolve, reject) => waiting.push({ handle, isWanted, resolve, reject }));
  }

  /** Goes on whether the broker has the message back or not: as long as nothing is stored, nobody else would try. */
  private async probe(handle: Handle, first: IntakeOutcome): Promise<IntakeOutcome | null> {
    const current: Current = { over: Promise.withResolvers(), waiting: [] };
    this.current = current;
    this.events.begun('detail' in first ? first.detail : '');
    const backoff = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    let outcome = first;
    try {
      for (let isOthersTurn = true; this.current === current; isOthersTurn = !isOthersTurn) {
        await sleep(backoff.next(), undefined, { signal: this.stop }).catch(() => undefined);
        if (this.stop.aborted) return null;
        this.events.retried();
        // One after the other: together they would share a transaction, and its end.
        const other = isOthersTurn ? this.nextOf(current) : undefined;
        if (other) await this.probeWith(other, current);
        else outcome = await handle();
        if (!isAway(outcome)) break;
      }
      return outcome;
    } finally {
      if (this.current === current) this.end();
    }
  }

  /** The next message that waits and still matters. */
  private nextOf({ waiting }: Current): Waiting | undefined {
    for (;;) {
      const next = waiting.shift();
      if (!next || next.isWanted()) return next;
      next.resolve(null);
    }
  }

  private async probeWith(other: Waiting, { waiting }: Current): Promise<void> {
    try {
      const outcome = await other.handle();
      if (isAway(outcome)) waiting.push(other);
      else other.resolve(outcome);
      // One may be refused without the database.
      if (outcome.outcome === 'stored' || outcome.outcome === 'duplicate') this.end();
    } catch (error) {
      other.reject(error);
    }
  }

  private end(): void {
    const { current } = this;
    if (!current) return;
    this.current = null;
    this.events.ended();
    current.over.resolve();
    for (const { resolve } of current.waiting) resolve(null);
  }
}

const isAway = (outcome: IntakeOutcome) =>
  outcome.outcome === 'not_now' && outcome.code === 'database_unavailable';
