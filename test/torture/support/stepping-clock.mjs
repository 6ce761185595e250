// Preloaded into a process. At each SIGWINCH its wall clock steps by an hour (forward, back, back, forward).
// Monotonic time (process.hrtime, performance.now, timers) is not affected, just as when an operator sets the clock.
import { isMainThread } from 'node:worker_threads';

const HOUR_MS = 3_600_000;
const STEPS = [HOUR_MS, -HOUR_MS, -HOUR_MS, HOUR_MS];
const RealDate = Date;
let offset = 0;
let taken = 0;

globalThis.Date = class SteppedDate extends RealDate {
  constructor(...args) {
    if (args.length > 0) super(...args);
    else super(RealDate.now() + offset);
  }

  static now() {
    return RealDate.now() + offset;
  }
};

if (isMainThread) {
  process.on('SIGWINCH', () => {
    offset += STEPS[taken++ % STEPS.length];
  });
}
