import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Answer } from './call.js';
import { outage } from './connection.js';
import type { Problem } from './problem.js';
import { me } from './who.js';

/** Loads a value, or brings it up to date; `before` is the one that is shown. */
export type Load<T> = (signal: AbortSignal, before: T | undefined) => Promise<Answer<T>>;

/** A value of the service, as it was when last heard. Reading a property in a component follows it. */
export interface Resource<T> {
  /** Stays while it is loaded anew, and when that fails. */
  readonly data: T | undefined;
  readonly problem: Problem | undefined;
  readonly busy: boolean;
  /** Of the last answer, for `If-Match`. */
  readonly etag: string | null;
  refresh(): void;
  /** Loads in another way, such as the next page. */
  run(load: Load<T>): void;
  /** Changes what is shown, such as by what a stream brings. */
  change(change: (data: T) => T): void;
}

export interface ResourceOptions {
  /** For how long a kept value is shown without asking again. @default 5000 */
  freshMs?: number;
  /** Asks again and again while the page is visible. */
  everyMs?: number;
}

const FRESH_MS = 5_000;
/** Values that no screen shows any more are kept up to this number, for the way back. */
const KEPT = 200;

class Entry<T> implements Resource<T> {
  readonly #data: Signal<T | undefined> = signal(undefined);
  readonly #problem: Signal<Problem | undefined> = signal(undefined);
  readonly #busy = signal(false);
  #controller: AbortController | undefined;
  load!: Load<T>;
  etag: string | null = null;
  loadedAt = Number.NEGATIVE_INFINITY;
  users = 0;

  get data() {
    return this.#data.value;
  }
  get problem() {
    return this.#problem.value;
  }
  get busy() {
    return this.#busy.value;
  }

  refresh = () => this.run(this.load);

  run = async (load: Load<T>) => {
    this.cancel();
    const { signal: aborted } = (this.#controller = new AbortController());
    this.#busy.value = true;
    const answer = await load(aborted, this.#data.peek());
    if (aborted.aborted) return;
    this.#busy.value = false;
    this.#problem.value = answer.problem;
    if (answer.problem) return;
    this.loadedAt = performance.now();
    this.etag = answer.etag;
    this.#data.value = answer.data;
  };

  change = (change: (data: T) => T) => {
    const before = this.#data.peek();
    if (before !== undefined) this.#data.value = change(before);
  };

  /** What nobody waits for is not loaded to the end. */
  cancel() {
    this.#controller?.abort();
    this.#busy.value = false;
  }
}

const entries = new Map<string, Entry<unknown>>();

function entryOf<T>(key: string): Entry<T> {
  const entry = (entries.get(key) ?? new Entry()) as Entry<T>;
  // The last one used is the last one thrown away.
  entries.delete(key);
  entries.set(key, entry as Entry<unknown>);
  return entry;
}

function throwAway(): void {
  for (const [key, { users }] of entries) {
    if (entries.size <= KEPT) return;
    if (users === 0) entries.delete(key);
  }
}

/** Follows the value under `key` while the component is there. Without a key nothing is loaded. */
export function useResource<T>(key: string | null, load: Load<T>, options: ResourceOptions = {}): Resource<T> {
  const { freshMs = FRESH_MS, everyMs } = options;
  const entry = useMemo(() => (key === null ? new Entry<T>() : entryOf<T>(key)), [key]);
  entry.load = load;
  useEffect(() => {
    if (key === null) return;
    entry.users += 1;
    if (performance.now() - entry.loadedAt > freshMs && !entry.busy) entry.refresh();
    const again = () => !document.hidden && outage.peek() === null && entry.refresh();
    const timer = everyMs === undefined ? undefined : setInterval(again, everyMs);
    return () => {
      clearInterval(timer);
      entry.users -= 1;
      if (entry.users > 0) return;
      entry.cancel();
      throwAway();
    };
  }, [entry, everyMs]);
  return entry;
}

/** Loads anew what is shown of these paths, and what is kept of them when it is shown next. */
export function invalidate(...paths: string[]): void {
  for (const [key, entry] of entries) {
    if (!paths.some((path) => key.startsWith(path))) continue;
    entry.loadedAt = Number.NEGATIVE_INFINITY;
    if (entry.users > 0) entry.refresh();
  }
}

/** Whenever the service is back, or somebody has signed in again, what is shown is loaded anew. */
function reloadAfter<T>(state: ReadonlySignal<T>, isGood: (value: T) => boolean): void {
  let first = true;
  state.subscribe((value) => {
    if (!first && isGood(value)) invalidate('');
    first = false;
  });
}
reloadAfter(outage, (problem) => problem === null);
reloadAfter(me, (caller) => caller !== null);
