import { appendFileSync } from 'node:fs';
import { PerformanceObserver } from 'node:perf_hooks';
import { isMainThread, type Worker } from 'node:worker_threads';

/** What V8 tells of a process and its threads, in megabytes. */
export interface HeapSample {
  /** The heap of the main thread, as V8 has it from the system. */
  heap: number;
  /** Of it what was in use right after the last major collection that V8 made by itself. */
  live: number;
  buffers: number;
  /** Outside of the heap, without buffers' own bytes. */
  external: number;
  /** The heap of each further thread. */
  threads: number[];
}

/** What @types/node leaves out of an entry of the type `gc`. */
interface Collection {
  detail: { kind: number };
}

const EVERY_MS = 5000;
const MAJOR = 4;

// Loaded into the service by `--import`, and so into each of its threads.
if (isMainThread && process.env.HEAP_SAMPLES) watch(process.env.HEAP_SAMPLES);

/** Appends a sample to a file, every five seconds. It forces no collection, which would change what is measured. */
function watch(file: string): void {
  const threads = new Set<Worker>();
  process.on('worker', (worker) => {
    threads.add(worker);
    worker.once('exit', () => threads.delete(worker));
  });
  let live = 0;
  new PerformanceObserver((list) => {
    const isMajor = list.getEntries().some((entry) => (entry as unknown as Collection).detail.kind === MAJOR);
    if (isMajor) live = process.memoryUsage().heapUsed;
  }).observe({ entryTypes: ['gc'] });
  setInterval(async () => {
    const { heapTotal, external, arrayBuffers } = process.memoryUsage();
    const heaps = await Promise.allSettled([...threads].map((thread) => thread.getHeapStatistics()));
    const sample: HeapSample = {
      heap: mega(heapTotal),
      live: mega(live),
      buffers: mega(arrayBuffers),
      external: mega(external - arrayBuffers),
      threads: heaps.flatMap((heap) =>
        heap.status === 'fulfilled' ? [mega(heap.value.total_heap_size + heap.value.external_memory)] : [],
      ),
    };
    appendFileSync(file, `${JSON.stringify(sample)}\n`);
  }, EVERY_MS).unref();
}

const mega = (bytes: number) => Math.round(bytes / 104857.6) / 10;
