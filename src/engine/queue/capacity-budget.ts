import type { AttemptTime } from './attempt-time.js';

/** A trigger that waits should start within this time. Otherwise it is left to other processes. */
const SOON_MS = 2000;
/**
 * The most triggers that wait for each slot, however fast it becomes free: enough to keep it busy while results are
 * stored and triggers claimed.
 */
const WAITING_PER_SLOT = 7;
/** How many more that were asked for by hand may come, over those that will start soon: they wait for nobody else's triggers. */
const MORE_URGENT = 32;
/** The size expected of the first body: the largest accepted one. */
const FIRST_EXPECTED_BYTES = 1024 * 1024;
/** The weight of each new body in the expected size of the next one. */
const LEARNING_RATE = 0.1;

/** A notification, as far as it takes memory. */
interface Loaded {
  body: Buffer | null;
  loaded?: number;
  loadedIn?: CapacityBudget;
}

/** Where a trigger in memory is on its way; null for none of these. */
type Stage = 'reserved' | 'waiting' | 'sending' | 'settling' | null;

/**
 * Counts the triggers in memory of a webhook, a user or the process, and says how many more may come: one in each slot, and
 * as many waiting as will start within two seconds. What a webhook's budget counts, its user's counts too, and so does that
 * of the process. These two also bound the bytes of bodies.
 */
export class CapacityBudget {
  reserved = 0;
  waiting = 0;
  sending = 0;
  /** Triggers that were sent and whose results are not stored yet. */
  settling = 0;
  /** How many bytes the bodies in memory have. */
  bytes = 0;
  /** Bytes expected for the reservations. */
  private promised = 0;
  /** The size expected of the next body, learned from recent ones. */
  expectedBytes: number;

  /**
   * @param slots how many triggers may be sent at once.
   * @param time of the attempts in these slots.
   */
  constructor(
    public slots: number,
    readonly time: AttemptTime,
    readonly maxBytes = Number.POSITIVE_INFINITY,
    public parent: CapacityBudget | null = null,
  ) {
    this.expectedBytes = parent?.expectedBytes ?? FIRST_EXPECTED_BYTES;
  }

  /** The triggers in memory and the reservations. */
  get size(): number {
    return this.reserved + this.waiting + this.sending + this.settling;
  }

  /** Moves a trigger from one stage to another. */
  move(from: Stage, to: Stage): void {
    if (from !== null) this[from]--;
    if (to !== null) this[to]++;
    this.parent?.move(from, to);
  }

  /** Counts the bytes that are expected for a reservation. */
  promise(bytes = this.expectedBytes): void {
    this.promised += bytes;
    this.parent?.promise(bytes);
  }

  /** Counts no longer what was expected for one of the reservations. */
  redeem(): void {
    this.promise(-(this.reserved === 1 ? this.promised : Math.floor(this.promised / this.reserved)));
  }

  /** Counts a notification for one more trigger. @returns false if its body does not fit. */
  load(notification: Loaded): boolean {
    const { body, loaded = 0 } = notification;
    const bytes = body?.length ?? 0;
    if (loaded === 0) {
      if (bytes > 0) this.learn(bytes);
      if (bytes > 0 && !this.hasBytes(bytes) && !this.isWithoutBodies) return false;
      this.add(bytes);
      notification.loadedIn = this;
    }
    notification.loaded = loaded + 1;
    return true;
  }

  /** Counts a notification for one trigger less. The last one may be another user's than the first. */
  unload(notification: Loaded): void {
    const { body, loaded = 0, loadedIn } = notification;
    notification.loaded = loaded - 1;
    if (loaded === 1) loadedIn?.add(-(body?.length ?? 0));
  }

  /**
   * Whether there may be one more reservation. A user of whom nothing is there may have one, however large its body is.
   *
   * @param urgent true for a trigger that was asked for by hand.
   * @param bytes expected of its body.
   */
  admitsAt(now: number, urgent: boolean, bytes: number): boolean {
    if (this.size === 0) return true;
    const left = this.leftAt(now) + (urgent ? MORE_URGENT : 0);
    return left > 0 && this.bytes + this.promised + bytes <= this.maxBytes;
  }

  /** How many more triggers may come, by their number and by the expected size of bodies. */
  capacityAt(now: number): number {
    const byNumber = this.leftAt(now);
    if (this.size === 0) return byNumber;
    const byBytes = (this.maxBytes - this.bytes - this.promised) / Math.max(1, this.expectedBytes);
    return Math.max(0, Math.min(byNumber, Math.floor(byBytes)));
  }

  /**
   * Whether this part, from 0 to 1, of the capacity for triggers that wait is free, and for one at least.
   *
   * @param slots how many of the slots may be used at present.
   */
  isFreeAt(now: number, part: number, slots = this.slots): boolean {
    return (
      this.leftAt(now, slots) > 0 &&
      this.size - this.settling <= slots + this.soonAt(now, slots) * (1 - part) &&
      this.size <= mostOf(slots) * (1 - part) &&
      this.bytes + this.promised <= this.maxBytes * (1 - part)
    );
  }

  /**
   * How many of the triggers that wait will not start soon. None unless they are more than twice too many: giving them
   * back is a commit, and the estimate is rough.
   */
  lateAt(now: number, slots = this.slots): number {
    const soon = this.soonAt(now, slots);
    const free = Math.max(0, slots - this.sending);
    return this.waiting > free + 2 * soon ? this.waiting - free - Math.floor(soon) : 0;
  }

  /**
   * How many more triggers may be there. Those whose results are being stored need no slot, so a slow database does not
   * leave slots empty; but they count towards the most.
   */
  private leftAt(now: number, slots = this.slots): number {
    const window = Math.max(1, Math.floor(slots + this.soonAt(now, slots)));
    return Math.min(window + this.settling, Math.max(1, Math.floor(mostOf(slots)))) - this.size;
  }

  private hasBytes(bytes: number): boolean {
    return this.bytes + bytes <= this.maxBytes && (this.parent?.hasBytes(bytes) ?? true);
  }

  private get isWithoutBodies(): boolean {
    return this.parent?.isWithoutBodies ?? this.bytes === 0;
  }

  private add(bytes: number): void {
    this.bytes += bytes;
    this.parent?.add(bytes);
  }

  /** Learns from the size of a new body. */
  private learn(bytes: number): void {
    this.expectedBytes = Math.round(this.expectedBytes + (bytes - this.expectedBytes) * LEARNING_RATE);
    this.parent?.learn(bytes);
  }

  /** How many attempts will start within {@link SOON_MS}, at most {@link WAITING_PER_SLOT} for each slot. */
  private soonAt(now: number, slots: number): number {
    return Math.min(slots * WAITING_PER_SLOT, (slots * SOON_MS) / this.time.msAt(now));
  }
}

/** The most triggers that may ever be there for so many slots. */
const mostOf = (slots: number) => slots * (1 + WAITING_PER_SLOT);
