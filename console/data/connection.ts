import { signal } from '@preact/signals';
import { backoffMs } from './pause.js';
import type { Problem } from './problem.js';

/** Why nothing comes from the service at present; null while all is well. */
export const outage = signal<Problem | null>(null);

let timer: ReturnType<typeof setTimeout> | undefined;
let look: (() => void) | undefined;

/** Says that the service is away, and looks until it is back. @param url what to look at: that which failed. */
export function lost(problem: Problem, url: string): void {
  if (outage.value !== null) return;
  outage.value = problem;
  let looks = 0;
  const next = () => {
    clearTimeout(timer);
    timer = setTimeout(() => look?.(), backoffMs(looks++));
  };
  look = async () => {
    clearTimeout(timer);
    if (await isBack(url)) found();
    else next();
  };
  next();
}

/** Looks now, without waiting for the next time. */
export const lookNow = (): void => look?.();

function found(): void {
  look = undefined;
  outage.value = null;
}

async function isBack(url: string): Promise<boolean> {
  try {
    const { status } = await fetch(url, { cache: 'no-store' });
    return status < 500;
  } catch {
    return false;
  }
}

addEventListener('online', lookNow);
addEventListener('visibilitychange', () => {
  if (!document.hidden) lookNow();
});
