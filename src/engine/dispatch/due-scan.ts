import { Injectable } from '@nestjs/common';
import { isBefore } from '../ledger/queue-order.js';
import type { DueTrigger, QueuePlace } from './due.repository.js';

/** Behind what was asked for by hand, which is examined by itself. */
const START: QueuePlace = { dueAt: 0, id: '' };
/** Triggers may become due a little in the past: their time is when the notification was made, not committed. */
const LATE_MS = 2000;

/** A trigger that was found, with the user whose share it counts for. */
export interface Candidate extends DueTrigger {
  userId: string;
}

/** A webhook whose triggers were passed over; all of them stand behind this place. */
interface Passed {
  place: QueuePlace;
  userId: string;
}

/** Whether it is worth going back for a webhook. */
export type HasCapacity = (webhookId: string, userId: string) => boolean;

/** Reserves capacity for a trigger. @returns false if there is none for this one, null if no more may be taken now. */
export type Take = (trigger: Candidate) => boolean | null;

/**
 * A process's position in the queue. Triggers that were passed over because their webhook had no capacity are not read
 * again until it has capacity: the backlog of one receiver must not be reread for each trigger of the others.
 */
@Injectable()
export class DueScan {
  /** Whether there may be due triggers that have not been examined. */
  mayHaveMore = false;
  /** Everything before it has been examined. */
  private frontier = START;
  /** The webhooks that were passed over. */
  private readonly passed = new Map<string, Passed>();
  /** The webhooks in `passed` that have capacity again. */
  private readonly wanted = new Set<string>();
  /** The position on the way back to them, and the webhooks whose triggers are picked up there. */
  private back: { place: QueuePlace; open: Set<string> } | null = null;

  /**
   * The place to continue reading after; {@link choose} takes the triggers found there. A webhook that gets capacity in the
   * meantime waits for the next scan, because a read at the frontier is not part of the way back.
   *
   * @param isWorthIt whether a way back for one webhook alone is worth a read.
   * @param hasCapacity whether something is claimed for it on the way. Where many share a backlog, one has capacity a moment before the
   * others, and without them each read would bring only a few triggers.
   */
  next(isWorthIt: HasCapacity, hasCapacity: HasCapacity): QueuePlace {
    if (this.back) this.leaveFull(this.back.open, isWorthIt, hasCapacity);
    if (this.back === null && this.wanted.size > 0) {
      this.goBackWhere(hasCapacity);
      this.back = this.wayBack();
    }
    return this.back?.place ?? this.frontier;
  }

  /** Whether it is on the way back to passed webhooks, whose end is not the end of the queue. */
  get isGoingBack(): boolean {
    return this.back !== null;
  }

  hasPassed(webhookId: string): boolean {
    return this.passed.has(webhookId);
  }

  /** The webhooks that were passed over: nothing of them has to be read ahead. */
  get passedOver(): string[] {
    return [...this.passed.keys()];
  }

  /** Whether older triggers of this webhook may still wait in the database. */
  isBehind(webhookId: string): boolean {
    return this.mayHaveMore || this.passed.has(webhookId);
  }

  /** Whether a trigger due at this time may stand before the frontier. */
  isPast(time: number): boolean {
    return time <= this.frontier.dueAt;
  }

  /** Goes back for a webhook that was passed over and has capacity again. */
  goBackFor(webhookId: string): void {
    if (this.passed.has(webhookId)) this.wanted.add(webhookId);
  }

  /** The same for all webhooks that were passed over and have capacity now. */
  goBackWhere(hasCapacity: HasCapacity): void {
    for (const [webhookId, { userId }] of this.passed) {
      if (hasCapacity(webhookId, userId)) this.wanted.add(webhookId);
    }
  }

  get wantsToGoBack(): boolean {
    return this.wanted.size > 0;
  }

  /** Notes that triggers of a webhook, the first one due at this time, were requeued. */
  requeued(webhookId: string, userId: string, dueAt: number): void {
    const place = { dueAt, id: '' };
    if (!isBefore(place, this.frontier)) return;
    const passed = this.passed.get(webhookId);
    if (!passed || isBefore(place, passed.place)) this.passed.set(webhookId, { place, userId });
    // A way back that is under way may be past them.
    this.back?.open.delete(webhookId);
  }

  /** Starts again from the beginning, as other processes put triggers anywhere in the queue. */
  restart(): void {
    this.frontier = START;
    this.passed.clear();
    this.endWayBack();
  }

  /**
   * Chooses from the next triggers of the queue, in its order.
   *
   * @param found the triggers behind the place that {@link next} named.
   * @param isLast true if there are no more behind these.
   */
  choose(found: Candidate[], isLast: boolean, now: number, take: Take): Candidate[] {
    if (this.back === null) return this.advance(found, isLast, now, take);
    const before = found.findIndex((trigger) => isBefore(this.frontier, trigger));
    const isReached = before !== -1;
    const chosen = this.pickUp(
      this.back,
      isReached ? found.slice(0, before) : found,
      isReached || isLast,
      take,
    );
    // What stands behind the frontier would be read again. A webhook that is still passed over has older ones before it.
    if (isReached && this.back === null) {
      const takeNew: Take = (trigger) => !this.passed.has(trigger.webhookId) && take(trigger);
      chosen.push(...this.advance(found.slice(before), isLast, now, takeNew));
    }
    return chosen;
  }

  private advance(found: Candidate[], isLast: boolean, now: number, take: Take): Candidate[] {
    const chosen: Candidate[] = [];
    for (const trigger of found) {
      const taken = take(trigger);
      if (taken === null) return chosen;
      if (taken) chosen.push(trigger);
      else if (!this.passed.has(trigger.webhookId)) this.pass(trigger, this.frontier);
      this.frontier = trigger;
    }
    if (isLast && this.frontier.dueAt > now - LATE_MS) this.frontier = { dueAt: now - LATE_MS, id: '' };
    return chosen;
  }

  /** @param isAll whether no more triggers stand between these and the frontier. */
  private pickUp(
    back: { place: QueuePlace; open: Set<string> },
    found: Candidate[],
    isAll: boolean,
    take: Take,
  ): Candidate[] {
    const chosen: Candidate[] = [];
    for (const trigger of found) {
      if (back.open.has(trigger.webhookId)) {
        const taken = take(trigger);
        if (taken === null) return chosen;
        if (taken) {
          chosen.push(trigger);
          this.pass(trigger, trigger);
        } else {
          this.leave(back.open, trigger.webhookId);
          if (this.back === null) return chosen;
        }
      }
      back.place = trigger;
    }
    if (isAll) this.forgetOpen(back.open);
    return chosen;
  }

  /** After one read most are full, and the rest is rarely worth another. */
  private leaveFull(open: Set<string>, isWorthIt: HasCapacity, hasCapacity: HasCapacity): void {
    const those = (is: HasCapacity) =>
      [...open].filter((webhookId) => is(webhookId, (this.passed.get(webhookId) as Passed).userId));
    const worth = those(isWorthIt);
    const left = new Set(worth.length > 0 ? those(hasCapacity) : []);
    for (const webhookId of open) if (!left.has(webhookId)) this.leave(open, webhookId);
  }

  /** Leaves a webhook behind on the way back. */
  private leave(open: Set<string>, webhookId: string): void {
    open.delete(webhookId);
    this.wanted.delete(webhookId);
    if (this.wanted.isDisjointFrom(open)) this.endWayBack();
  }

  private pass({ webhookId, userId }: Candidate, place: QueuePlace): void {
    this.passed.set(webhookId, { place, userId });
  }

  /** Starts at the first place of a wanted webhook; webhooks passed over behind that are picked up along the way. */
  private wayBack(): { place: QueuePlace; open: Set<string> } {
    const places = [...this.wanted].map((webhookId) => (this.passed.get(webhookId) as Passed).place);
    const place = places.reduce((first, other) => (isBefore(other, first) ? other : first));
    const open = [...this.passed]
      .filter(([, passed]) => !isBefore(passed.place, place))
      .map(([webhookId]) => webhookId);
    return { place, open: new Set(open) };
  }

  /** The way back has reached the frontier: these webhooks have nothing left before it. */
  private forgetOpen(open: Set<string>): void {
    for (const webhookId of open) this.passed.delete(webhookId);
    this.endWayBack();
  }

  /** Webhooks that got capacity meanwhile, and stand before the start of this way back, stay wanted for the next one. */
  private endWayBack(): void {
    this.back = null;
    for (const webhookId of this.wanted) if (!this.passed.has(webhookId)) this.wanted.delete(webhookId);
  }
}
