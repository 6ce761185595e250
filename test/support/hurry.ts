import { systemClock } from '../../src/platform/clock.js';

/** Lets what takes seconds take a part of it, a fiftieth if not said otherwise. @returns a function that undoes this. */
export const hurry = (times = 50) => withTimers((ms) => (ms < 2000 ? ms : ms / times));

/** Lets what takes seconds take a hundred times as long, so that nothing ends early on a busy machine. @returns a function that undoes this. */
export const takeTime = () => withTimers((ms) => (ms < 1000 ? ms : ms * 100));

function withTimers(inTests: (ms: number) => number): () => void {
  const { after } = systemClock;
  systemClock.after = (ms, run) => after(inTests(ms), run);
  return () => {
    systemClock.after = after;
  };
}
