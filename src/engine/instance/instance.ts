import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { newId } from '../../platform/ids/ids.js';
import { ownIdentity } from './process-identity.js';

/** The part of the timeout that is not used: clocks run at different speeds, and a request needs time to go out. */
const MARGIN = 0.2;

/**
 * The timeout of an instance that has a name, and so how long whoever replaces it waits until nothing starts under its leases any
 * more.
 */
export const NAMED_TIMEOUT_MS = 1000;

/** A moment by both clocks. */
interface Moment {
  wall: number;
  monotonic: number;
}

/**
 * This process, as the holder of leases. They are known to be valid while its last confirmed heartbeat is younger than the
 * timeout, counted from when that heartbeat was sent. Whoever starts an attempt asks {@link mayStart}.
 *
 * ```
 *   new ──registered──► valid ──no heartbeat confirmed in time──► unknown ──confirmed──► valid
 *                         │                                         └──others took it for dead──► registered, under another id
 *                         └──another process has its name──► registered, under another id and without the name
 * ```
 */
@Injectable()
export class Instance {
  /** Null if it cannot be known: then nobody can tell that it has ended. */
  readonly process = ownIdentity();
  private current = newId();
  private confirmed: Moment | null = null;
  private isNamed = false;
  private readonly unnamedTimeoutMs: number;
  /** Called when an attempt could not start because the leases are not known to be valid. */
  onUnknown = () => {};

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.unnamedTimeoutMs = settings.delivery.instanceTimeoutMs;
  }

  /** How long its leases outlive its last heartbeat. */
  get timeoutMs(): number {
    return this.isNamed ? NAMED_TIMEOUT_MS : this.unnamedTimeoutMs;
  }

  /** It changes when others took this process for dead: none of the leases under the former id counts any more. */
  get id(): string {
    return this.current;
  }

  /**
   * Whether the leases are known to be valid. A process that stood still finds out by the monotonic clock, and after a machine's
   * sleep, which that clock does not count on Linux, by the wall clock. A step of the wall clock costs one heartbeat.
   */
  get isValid(): boolean {
    if (this.confirmed === null) return false;
    const { wall, monotonic } = this.confirmed;
    const validMs = this.timeoutMs * (1 - MARGIN);
    return this.clock.monotonic() - monotonic < validMs && this.clock.now() - wall < validMs;
  }

  /** Whether an attempt may start under a lease of this id. If that is not known, a heartbeat is sent. */
  mayStart(leasedBy = this.current): boolean {
    if (this.isValid) return leasedBy === this.current;
    this.onUnknown();
    return false;
  }

  moment(): Moment {
    return { wall: this.clock.now(), monotonic: this.clock.monotonic() };
  }

  /** @param sent when the heartbeat was sent that is confirmed now. */
  confirm(sent: Moment): void {
    this.confirmed = sent;
  }

  /** @param sent when it was registered under this id, with a name or without. */
  registered(sent: Moment, id: string, isNamed: boolean): void {
    this.current = id;
    this.isNamed = isNamed;
    this.confirmed = sent;
  }

  /** Others took it for dead. */
  invalidate(): void {
    this.confirmed = null;
  }
}
