import { join } from 'node:path';
import { until } from '../../support/until.js';
import { resetPeak, residentMemory } from '../support/memory.js';
import type { ServiceProcess } from '../support/process.js';

/** Environment in which a process tells what it computes and holds. */
export const PROBED = { NODE_OPTIONS: `--expose-gc --require=${join(import.meta.dirname, 'probe.cjs')}` };

async function ask<T>({ output }: ServiceProcess, what: string): Promise<T> {
  const port = /Probe at (\d+)\./.exec(output)?.[1];
  const answer = await fetch(`http://127.0.0.1:${port}/${what}`);
  return (await answer.json()) as T;
}

export interface Memory {
  /** Reachable objects without compiled code, in MB. */
  heap: number;
  /** Buffers outside the heap, in MB. */
  external: number;
  /** Resident memory of the whole process, in MB. */
  resident: number;
}

/** The memory that a process uses after garbage collection. */
export async function memoryOf(service: ServiceProcess): Promise<Memory> {
  const { heap, external, rss } = await ask<NodeJS.MemoryUsage & { heap: number }>(service, 'memory');
  return { heap: heap / 1e6, external: external / 1e6, resident: rss / 1e6 };
}

/**
 * Waits until a process has grown by less than `most` since `before`: what is on its way to receivers goes, a leak stays.
 *
 * @throws with how far it has grown, if it never does.
 */
export async function comesBackTo(service: ServiceProcess, before: Memory, most: Memory): Promise<void> {
  const kinds = Object.keys(most) as (keyof Memory)[];
  let grown = most;
  await until(
    async () => {
      const now = await memoryOf(service);
      grown = {
        heap: now.heap - before.heap,
        external: now.external - before.external,
        resident: now.resident - before.resident,
      };
      return kinds.every((kind) => grown[kind] < most[kind]);
    },
    { what: () => `growth by ${JSON.stringify(grown)} MB to come below ${JSON.stringify(most)}` },
  );
}

/** What a process computed and held while something ran. */
export interface Cost {
  /** The longest stretch that its main thread computed without a break, in milliseconds of processor time. */
  blockedMs: number;
  /** How far its resident memory rose at most, in MB. */
  heldMb: number;
}

/** What a process on Linux computes and holds meanwhile, one thing at a time. */
export async function costOf(service: ServiceProcess, work: () => Promise<unknown>): Promise<Cost> {
  resetPeak(service);
  const before = residentMemory(service).peak;
  await ask(service, 'longest-stretch');
  await work();
  const blockedMs = await ask<number>(service, 'longest-stretch');
  return { blockedMs, heldMb: residentMemory(service).peak - before };
}
