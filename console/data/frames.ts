/** In a hidden page there are no frames. */
const HIDDEN_MS = 1_000;
/** What a frame has time for. The service reads what has changed a few times a second, so much comes at once. */
const ITEMS_OF_A_FRAME = 16;
/** More of what waits is taken when it is much, so that nothing is shown later than this many frames. */
const FRAMES = 20;

/** Gathers what comes and hands it over in frames, so that a busy stream leaves each of them time for the rest of the page. */
export function inFrames<T>(flush: (items: T[]) => void): { add(item: T): void; stop(): void } {
  let items: T[] = [];
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = () => {
    frame = requestAnimationFrame(() => hand(Math.max(ITEMS_OF_A_FRAME, items.length / FRAMES)));
    timer = setTimeout(() => hand(items.length), HIDDEN_MS);
  };
  const cancel = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
  const hand = (count: number) => {
    cancel();
    const handed = items.slice(0, count);
    items = items.slice(count);
    if (items.length > 0) wait();
    flush(handed);
  };
  return {
    add(item) {
      items.push(item);
      if (items.length === 1) wait();
    },
    stop() {
      cancel();
      items = [];
    },
  };
}
