import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { writeJson } from '../../platform/json/write-json.js';

/** A process of all that ever ran on any machine, as Linux tells them apart. */
export interface ProcessIdentity {
  /** Stands for one start of one machine, and the namespaces in which `pid` and `startedAt` mean something. */
  machine: string;
  pid: number;
  /** In clock ticks since the machine started: another process with the same id has another one. */
  startedAt: string;
}

/** What is seen of a process id now; null if that is not known. */
export type Observation = 'gone' | { startedAt: string; isDefunct: boolean } | null;

/**
 * Whether a process has certainly ended: it ran here, and its id is free now, belongs to a process that started at another time,
 * or to one that was killed and only waits for its parent. One that is stopped or frozen has not ended.
 *
 * The number of a PID namespace may be given to another one, but only after all processes of the former have ended.
 */
export function hasEnded(own: ProcessIdentity, other: ProcessIdentity, observed: Observation): boolean {
  if (other.machine !== own.machine || observed === null) return false;
  return observed === 'gone' || observed.startedAt !== other.startedAt || observed.isDefunct;
}

export const toText = ({ machine, pid, startedAt }: ProcessIdentity) => `${machine} ${pid} ${startedAt}`;

/** Null for whatever is no identity: nothing can be proven of it. */
export function fromText(text: string | null): ProcessIdentity | null {
  const [, machine, pid, startedAt] = /^([0-9a-f]{32}) (\d+) (\d+)$/.exec(text ?? '') ?? [];
  return machine && pid && startedAt ? { machine, pid: Number(pid), startedAt } : null;
}

/** This process; null where it cannot be known, as on macOS. */
export function ownIdentity(): ProcessIdentity | null {
  try {
    // Another namespace's /proc would speak of other processes.
    if (readlinkSync('/proc/self') !== String(process.pid)) return null;
    const seen = readStat(process.pid);
    // The host's name sets apart copies of a virtual machine. In another time namespace processes have other start times.
    const parts = [
      readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
      readlinkSync('/proc/self/ns/pid'),
      readTimeNamespace(),
      hostname(),
    ];
    const machine = createHash('sha256').update(writeJson(parts)).digest('hex').slice(0, 32);
    return { machine, pid: process.pid, startedAt: seen.startedAt };
  } catch {
    return null;
  }
}

/** Looks at a process id of this machine. */
export function observe(pid: number): Observation {
  try {
    return readStat(pid);
  } catch {
    // Processes of other users may be hidden in /proc, but a signal tells whether they are there.
    return isFree(pid) ? 'gone' : null;
  }
}

function isFree(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** @throws if it cannot be read. */
function readStat(pid: number): { startedAt: string; isDefunct: boolean } {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program stands in brackets and may contain both blanks and brackets.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  const startedAt = fields[19];
  if (state === undefined || startedAt === undefined || !/^\d+$/.test(startedAt))
    throw new Error('unreadable');
  return { startedAt, isDefunct: state === 'Z' || state === 'X' };
}

function readTimeNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/time');
  } catch {
    return '';
  }
}
