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

/**
 * While the database is away, one message is tried again and again, and all others wait for it.
 *
 *   there ──a message finds it away──► away, that message is the probe ──the probe is stored, or refused──► there
 */
export class Outage {
  private current: Promise<void> | null = null;

  constructor(
    private readonly events: OutageEvents,
    private readonly stop: AbortSignal,
  ) {}

  /** Resolves when the database is there, or when the intake stops. */
  async over(): Promise<void> {
    while (this.current) await this.current;
  }

  /**
   * Handles a message once the database is there.
   *
   * @param isWanted whether it still matters: not if the broker has it back.
   * @returns its outcome; null if it matters no more, or if the intake stops.
   * @throws what `handle` throws
   */
  async handle(handle: Handle, isWanted: () => boolean): Promise<IntakeOutcome | null> {
    for (;;) {
      await this.over();
      if (this.stop.aborted || !isWanted()) return null;
      const outcome = await handle();
      if (outcome.outcome !== 'not_now' || outcome.code !== 'database_unavailable') return outcome;
      if (!this.current) return this.probe(handle, outcome.detail);
    }
  }

  /** Goes on whether the broker has the message back or not: as long as it is not stored, nothing else would be. */
  private async probe(handle: Handle, detail: string): Promise<IntakeOutcome | null> {
    let end = () => {};
    this.current = new Promise((resolve) => {
      end = resolve;
    });
    this.events.begun(detail);
    const backoff = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    try {
      for (;;) {
        await sleep(backoff.next(), undefined, { signal: this.stop }).catch(() => undefined);
        if (this.stop.aborted) return null;
        this.events.retried();
        const outcome = await handle();
        if (outcome.outcome !== 'not_now') return outcome;
      }
    } finally {
      this.current = null;
      this.events.ended();
      end();
    }
  }
}
