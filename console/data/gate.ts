import { CANCELLED } from './problem.js';
import type { Answer } from './call.js';

/** A browser opens six connections to a server; most of them stay free for what somebody has pressed. */
const AT_ONCE = 3;

const waiting: (() => void)[] = [];
let running = 0;

/** Makes a call when few others of its kind are under way. One that nobody waits for any more is left out. */
export async function inBackground<D>(get: () => Promise<Answer<D>>, signal: AbortSignal): Promise<Answer<D>> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  running += 1;
  try {
    return signal.aborted ? { problem: CANCELLED } : await get();
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}
