import { readFileSync, writeFileSync } from 'node:fs';
import type { ServiceProcess } from '../support/process.js';
import { Inspector } from './inspector.js';

/** What a process computed and held while something ran. */
export interface Cost {
  /** The longest stretch that its main thread computed without a break, in milliseconds of processor time. */
  blockedMs: number;
  /** How far its resident memory rose at most, in MB. */
  heldMb: number;
}

/** Keeps the loop going, so that it sees each stretch between two of its rounds. */
const WATCH = `globalThis.watched ??= (() => {
  const computed = () => { const { user, system } = process.threadCpuUsage(); return (user + system) / 1000; };
  let last = computed();
  let longest = 0;
  const look = () => {
    const now = computed();
    longest = Math.max(longest, now - last);
    last = now;
    setImmediate(look);
  };
  look();
  return () => { const found = longest; longest = 0; return found; };
})(), 0`;

/** Measures what a process on Linux computes and holds, one thing at a time. */
export class CostMeter {
  private constructor(
    private readonly pid: number,
    private readonly inspector: Inspector,
  ) {}

  static async of(service: ServiceProcess): Promise<CostMeter> {
    const inspector = await Inspector.of(service);
    await inspector.evaluate(WATCH);
    return new CostMeter(service.pid, inspector);
  }

  async measure(work: () => Promise<unknown>): Promise<Cost> {
    // Forgets the highest resident size.
    writeFileSync(`/proc/${this.pid}/clear_refs`, '5');
    const before = this.highestMb();
    await this.inspector.evaluate('watched()');
    await work();
    const blockedMs = await this.inspector.evaluate<number>('watched()');
    return { blockedMs, heldMb: this.highestMb() - before };
  }

  close(): void {
    this.inspector.close();
  }

  private highestMb(): number {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
  }
}
