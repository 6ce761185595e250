// Preloaded into a process: its wall clock steps by an hour at each SIGWINCH, forward and back in turn. What measures
// time spans (process.hrtime, performance.now, timers) goes on as ever, as it does when an operator sets the clock.
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
