import { Alarm } from '../../platform/alarm.js';
import type { Clock } from '../../platform/clock.js';

/** Starts are reserved for this long at a time. */
const BLOCK_MS = 200;
/** At high rates at least this much is, so that reserving does not become the work. */
const LEAST_MS = 20;
/** Triggers that will start within this time may wait in memory. */
const SOON_MS = 2000;
/** A start that is later than this is given up: made up for, it would come too close to the next ones. */
const GRACE_MS = 5;
/** At low rates it may be later, by this part of the time between two starts. */
const GRACE_PART = 0.1;
const AGAIN_AFTER_ERROR_MS = 1000;

/** Start times that one process has for itself: the first, and the others at the intervals of the rate. */
export interface Starts {
  /** From when they were reserved, which is before the answer comes. */
  delayMs: number;
  /** 0 if other processes have reserved far ahead; then it may be asked again after the delay. */
  count: number;
}

export interface GateHost {
  /** Asks for so many starts. */
  reserve(count: number): Promise<Starts>;
  /** Called when an attempt may start, or has to ask again. */
  onChange(): void;
}

/**
 * Keeps the attempts of a webhook to a rate. Start times come in blocks, from a row that all processes share; within a
 * block they are evenly spaced.
 *
 * ```
 * EMPTY ──a trigger waits──► ASKING ──starts──► OPEN (at each of them) ──all used or past──► EMPTY
 *   ▲                          │ none yet, or an error
 *   └────────time is over──── CLOSED
 * ```
 */
export class RateGate {
  private readonly intervalMs: number;
  private readonly graceMs: number;
  private readonly alarm: Alarm;
  private left = 0;
  /** The next start, if any is left; until then it is closed otherwise. Monotonic. */
  private at = 0;
  private isAsking = false;

  constructor(
    readonly perSecond: number,
    private readonly clock: Clock,
    private readonly host: GateHost,
  ) {
    this.intervalMs = 1000 / perSecond;
    this.graceMs = Math.max(GRACE_MS, this.intervalMs * GRACE_PART);
    this.alarm = new Alarm(clock, () => host.onChange());
  }

  /** How many triggers will start soon, and one at least. */
  get soon(): number {
    return Math.max(1, SOON_MS / this.intervalMs);
  }

  mayStartAt(now: number): boolean {
    this.giveUpLate(now);
    return this.left > 0 && now >= this.at;
  }

  /** Uses the start that {@link mayStartAt} has allowed. */
  start(): void {
    this.left--;
    this.at += this.intervalMs;
  }

  /** Sees to it that {@link GateHost.onChange} is called when one of the triggers that wait may start. */
  await(waiting: number, now: number): void {
    this.giveUpLate(now);
    if (this.left > 0 || now < this.at) this.alarm.ringBy(this.at);
    else if (!this.isAsking) void this.ask(waiting);
  }

  close(): void {
    this.alarm.cancel();
  }

  private async ask(waiting: number): Promise<void> {
    this.isAsking = true;
    const most = Math.max(1, Math.ceil(BLOCK_MS / this.intervalMs));
    const count = Math.min(most, Math.max(waiting, Math.ceil(LEAST_MS / this.intervalMs)));
    const starts = await this.host.reserve(count).catch(() => ({ delayMs: AGAIN_AFTER_ERROR_MS, count: 0 }));
    this.isAsking = false;
    this.left = starts.count;
    // From the answer on: a database that stood still has counted the delay from when it ran the statement.
    this.at = this.clock.monotonic() + starts.delayMs;
    this.host.onChange();
  }

  private giveUpLate(now: number): void {
    while (this.left > 0 && now > this.at + this.graceMs) this.start();
  }
}
