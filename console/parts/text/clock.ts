import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

const TICK_MS = 1_000;

const now = signal(Date.now());
let users = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** The time, once a second while some component shows it; they share one timer. `follow` false reads it once. */
export function useNow(follow = true): number {
  useEffect(() => {
    if (!follow) return;
    if (users++ === 0) timer = setInterval(() => (now.value = Date.now()), TICK_MS);
    now.value = Date.now();
    return () => {
      if (--users === 0) clearInterval(timer);
    };
  }, [follow]);
  return follow ? now.value : now.peek();
}
