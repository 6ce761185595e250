import type { ServiceProcess } from '../support/process.js';
import { Inspector } from './inspector.js';

export interface Memory {
  /** Reachable objects, in MB. */
  heap: number;
  /** Buffers outside the heap, in MB. */
  external: number;
  /** Resident memory of the whole process, in MB. */
  resident: number;
}

/** The memory that a process uses after garbage collection. */
export async function memoryOf(service: ServiceProcess): Promise<Memory> {
  const inspector = await Inspector.of(service);
  try {
    await inspector.collectGarbage();
    const { heapUsed, external, rss } = await inspector.evaluate<NodeJS.MemoryUsage>('process.memoryUsage()');
    return { heap: heapUsed / 1e6, external: external / 1e6, resident: rss / 1e6 };
  } finally {
    inspector.close();
  }
}
