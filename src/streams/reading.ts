import { eventText } from './event-stream.js';
import type { Follower, Shown } from './follower.js';

/** What may wait to be read in all streams of this process. Past it, only those that have read everything get more. */
const ALL_WAITING_BYTES = 64 * 1024 * 1024;

/** A follower, and how far it has come. */
export interface Reading extends Follower {
  /** All changes up to this one were written to its stream, but for those that are still missing. */
  at: number;
  /** Whether it gets changes as they are read for everybody. If not, it has to catch up from where it is. */
  isLive: boolean;
}

/** Whether there is capacity for a part of what is read; each stream that waits keeps what it has not read. */
export function capacityOf(all: Iterable<Reading>): (reading: Reading) => boolean {
  let waiting = 0;
  for (const { stream } of all) waiting += stream.waiting;
  const isCrowded = waiting >= ALL_WAITING_BYTES;
  return ({ stream }) => stream.hasCapacity && (!isCrowded || stream.waiting === 0);
}

/** Writes a part of what was read to those who want it. @param positionAt the position that goes with a change. */
export function writeTo(readings: Reading[], shown: Shown[], positionAt: (id: number) => string): void {
  for (const { id, subject, data } of shown) {
    let event: Buffer | null = null;
    for (const { stream, source, wants } of readings) {
      if (!wants(subject)) continue;
      // Made once for all of them.
      event ??= Buffer.from(eventText(positionAt(id), source.kind, data));
      stream.send(event);
    }
  }
}
