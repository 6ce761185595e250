/** In a hidden page there are no frames. */
const HIDDEN_MS = 1_000;

/** Gathers what comes and hands it over once a frame, so that a busy stream costs one rendering a frame. */
export function inFrames<T>(flush: (items: T[]) => void): { add(item: T): void; stop(): void } {
  let items: T[] = [];
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hand = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = 0;
    timer = undefined;
    const gathered = items;
    items = [];
    flush(gathered);
  };
  return {
    add(item) {
      items.push(item);
      if (items.length > 1) return;
      frame = requestAnimationFrame(hand);
      timer = setTimeout(hand, HIDDEN_MS);
    },
    stop() {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      items = [];
    },
  };
}
