import { readFileSync, writeFileSync } from 'node:fs';

type Process = { pid: number };

/** Resident memory of a process in MiB: the current value, and the peak since its start or the last {@link resetPeak}. */
export function residentMemory({ pid }: Process): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (name: string) =>
    Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
  return { now: read('VmRSS'), peak: read('VmHWM') };
}

export function resetPeak({ pid }: Process): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}
