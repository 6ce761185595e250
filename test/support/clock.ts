import { systemClock } from '../../src/common/clock.js';

let aheadMs = 0;

/** Puts the clock of every service in this process forward; its timers keep their pace. */
export function moveClock(ms: number): void {
  aheadMs += ms;
  systemClock.now = () => Date.now() + aheadMs;
}
