import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const RANDOM_BYTES = 16;

// Draws random bytes for 256 ids at a time: drawing them for each id would cost more than making the id.
const pool = Buffer.alloc(RANDOM_BYTES * 256);
let taken = pool.length;
let msecs = 0;
let seq = 0;

/** A UUIDv7 (RFC 9562, 5.7), lower case. Ids of one process sort, as text, in the order they were made. */
export function newId(): string {
  const random = randomBytes();
  const now = Date.now();
  if (now > msecs) {
    msecs = now;
    // Leaves the upper half of the range to count up in: RFC 9562, 6.2, method 1.
    seq = random.readUInt32LE() >>> 1;
  } else seq++;
  return v7({ msecs, seq, random });
}

/** A UUIDv7 of another time, in epoch milliseconds. */
export const newIdAt = (msecs: number): string => v7({ msecs, random: randomBytes() });

/** Whether `value` is a UUIDv7 in canonical form: 36 characters, lower case. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && ID.test(value);
}

function randomBytes(): Buffer {
  if (taken === pool.length) {
    randomFillSync(pool);
    taken = 0;
  }
  taken += RANDOM_BYTES;
  return pool.subarray(taken - RANDOM_BYTES, taken);
}
