import type { Clock } from '../../platform/clock.js';
import { HeldBodies } from './held-bodies.js';
import type { LeasedNotification } from './leased-trigger.js';
import { emptyPart, fits, learn, type Part, promise } from './room-part.js';
import { Turnover } from './turnover.js';
import { USER_SHARE } from './user-shares.js';

/** The part of the room that is plenty. */
const PLENTY = 1 / 8;
/** The size expected of the first body: the largest accepted one. */
const FIRST_EXPECTED_BYTES = 1024 * 1024;

/**
 * The room for triggers in memory, in places and in bytes of bodies. The bytes are a fixed number and the places depend
 * on the {@link Turnover} of the slots. All users together share both, and each may have three quarters of them. A place
 * is reserved, then either cancelled or filled and later freed.
 */
export class UserRoom {
  private readonly parts = new Map<string, Part>();
  private readonly bodies = new HeldBodies();
  private readonly turnover: Turnover;
  private readonly slotsPerUser: number;
  private readonly bytesPerUser: number;
  private readonly all: Part;
  private someoneHasRoomAgain = false;

  /** @param slots how many triggers may be sent at once. */
  constructor(
    slots: number,
    private readonly maxBytes: number,
    private readonly clock: Clock,
  ) {
    this.all = emptyPart(slots, FIRST_EXPECTED_BYTES);
    this.turnover = new Turnover(slots);
    this.slotsPerUser = slots * USER_SHARE;
    this.bytesPerUser = Math.floor(maxBytes * USER_SHARE);
  }

  /** Places taken. */
  get taken(): number {
    return this.all.places;
  }

  /** Bytes of the bodies held. */
  get bytes(): number {
    return this.all.bytes;
  }

  /** How many places are left, by their number and by the expected size of bodies. */
  get left(): number {
    const { places, bytes, promised, expected } = this.all;
    const byNumber = this.leftOf(this.all, this.clock.monotonic());
    if (places === 0) return byNumber;
    const byBytes = Math.floor((this.maxBytes - bytes - promised) / Math.max(1, expected));
    return Math.max(0, Math.min(byNumber, byBytes));
  }

  /** Whether it is worth asking for more, even if one user fills the rest. */
  get hasPlenty(): boolean {
    return this.left > 0 && this.isFree(PLENTY);
  }

  /** Whether this part of the room for triggers that wait, from 0 to 1, is free. */
  isFree(part: number): boolean {
    return this.isPartFree(this.all, part, this.maxBytes);
  }

  /** Whether half of this user's share is free. */
  hasRoomFor(userId: string): boolean {
    const part = this.parts.get(userId);
    return part === undefined || this.isHalfFree(part);
  }

  /** How many of these triggers that wait, a user's or all, will not start soon. */
  lateAt(now: number, waiting: number, userId?: string): number {
    const { slots, sending } = userId === undefined ? this.all : this.partOf(userId);
    return this.turnover.lateAt(now, waiting, sending, slots);
  }

  /** @returns whether, since the last call, half of the share of a user who had been refused has become free. */
  consumeFreed(): boolean {
    const news = this.someoneHasRoomAgain;
    this.someoneHasRoomAgain = false;
    return news;
  }

  /**
   * @param urgent true for a trigger that may have a place even if others would not start soon.
   * @returns false if there is no place left, in all or for this user.
   */
  reserve(userId: string, urgent: boolean): boolean {
    const now = this.clock.monotonic();
    const part = this.parts.get(userId) ?? emptyPart(this.slotsPerUser, this.all.expected);
    if (!fits(this.all, part.expected, this.leftFor(this.all, urgent, now), this.maxBytes)) return false;
    if (!fits(part, part.expected, this.leftFor(part, urgent, now), this.bytesPerUser)) {
      part.refused = true;
      return false;
    }
    this.parts.set(userId, part);
    promise(part, part.expected);
    promise(this.all, part.expected);
    return true;
  }

  /** Gives a reserved place back. */
  cancel(userId: string): void {
    const part = this.partOf(userId);
    this.redeem(part);
    this.leave(userId, part);
  }

  /**
   * Puts a notification in a reserved place.
   *
   * @returns the copy to keep; null if it is larger than expected and does not fit, in which case the place is given
   * back.
   */
  fill(userId: string, notification: LeasedNotification): LeasedNotification | null {
    const part = this.partOf(userId);
    this.redeem(part);
    const bytes = this.bodies.cost(notification);
    if (bytes > 0) learn(part, this.all, bytes);
    const isFirst = this.all.bytes === 0;
    const hasRoom = this.all.bytes + bytes <= this.maxBytes && part.bytes + bytes <= this.bytesPerUser;
    if (bytes > 0 && !hasRoom && !isFirst) {
      this.leave(userId, part);
      return null;
    }
    part.bytes += bytes;
    this.all.bytes += bytes;
    return this.bodies.hold(notification);
  }

  /** Notes that a trigger in one of this user's places is being sent. */
  began(userId: string, now: number): void {
    this.partOf(userId).sending++;
    this.turnover.use(++this.all.sending, now);
  }

  /** Notes that it was sent; it keeps its place. */
  ended(userId: string, now: number): void {
    const part = this.partOf(userId);
    part.sending--;
    part.settling++;
    this.all.sending--;
    this.all.settling++;
    this.turnover.use(this.all.sending, now);
    this.turnover.count();
  }

  /** Gives a filled place back. @param wasSent whether {@link ended} was called for it. */
  free(userId: string, notification: LeasedNotification, wasSent: boolean): void {
    const part = this.partOf(userId);
    if (wasSent) {
      part.settling--;
      this.all.settling--;
    }
    const bytes = this.bodies.letGo(notification);
    part.bytes -= bytes;
    this.all.bytes -= bytes;
    this.leave(userId, part);
  }

  /** Ends a reservation, and takes back the bytes promised to it. */
  private redeem(part: Part): void {
    const promised = part.reserved === 1 ? part.promised : Math.floor(part.promised / part.reserved);
    part.reserved--;
    part.promised -= promised;
    this.all.reserved--;
    this.all.promised -= promised;
  }

  private leave(userId: string, part: Part): void {
    part.places--;
    this.all.places--;
    if (part.refused && this.isHalfFree(part)) {
      part.refused = false;
      this.someoneHasRoomAgain = true;
    }
    if (part.places === 0) this.parts.delete(userId);
  }

  private leftFor(part: Part, urgent: boolean, now: number): number {
    return urgent ? this.turnover.mostPlaces(part.slots) - part.places : this.leftOf(part, now);
  }

  private leftOf({ places, settling, slots }: Part, now: number): number {
    return this.turnover.leftAt(now, places, settling, slots);
  }

  private isHalfFree(part: Part): boolean {
    return this.isPartFree(part, 0.5, this.bytesPerUser);
  }

  private isPartFree(
    { slots, places, settling, bytes, promised }: Part,
    part: number,
    maxBytes: number,
  ): boolean {
    return (
      this.turnover.isFreeAt(this.clock.monotonic(), places, settling, part, slots) &&
      bytes + promised <= maxBytes * (1 - part)
    );
  }

  private partOf(userId: string): Part {
    const part = this.parts.get(userId);
    if (!part) throw new Error('A user without a place gives one back.');
    return part;
  }
}
