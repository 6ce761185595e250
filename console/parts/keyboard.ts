import { useLayoutEffect, useRef } from 'preact/hooks';

export interface Key {
  /** As in `KeyboardEvent.key`. */
  key: string;
  /** What it does, for the list that `?` shows. */
  does: string;
  /** False lets the next one have the key. */
  run: (event: KeyboardEvent) => unknown;
}

/** The newest last: it is asked first. */
const layers: (readonly Key[])[] = [];

/** Keys that work while the component is there. They do not while somebody types, or a dialog is open. */
export function useKeys(keys: readonly Key[]): void {
  const latest = useRef(keys);
  latest.current = keys;
  // What is shown takes keys: an effect would come only after it is painted.
  useLayoutEffect(() => {
    const layer = keys.map(({ key, does }, index) => ({
      key,
      does,
      run: (event: KeyboardEvent) => latest.current[index]?.run(event),
    }));
    layers.push(layer);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
    };
  }, [keys.map(({ key }) => key).join()]);
}

/** What works at present, the nearest first and each key once. */
export function keysNow(): Key[] {
  const byKey = new Map<string, Key>();
  for (const key of layers.toReversed().flat()) if (!byKey.has(key.key)) byKey.set(key.key, key);
  return [...byKey.values()];
}

const TYPING = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]';

addEventListener('keydown', (event) => {
  const { key, ctrlKey, metaKey, altKey, target, defaultPrevented } = event;
  if (defaultPrevented || ctrlKey || metaKey || altKey || document.querySelector('dialog[open]')) return;
  if (target instanceof Element && target.closest(TYPING)) return;
  for (const layer of layers.toReversed()) {
    const found = layer.find((entry) => entry.key === key);
    if (found === undefined || found.run(event) === false) continue;
    event.preventDefault();
    return;
  }
});
