/** The weight of each new body in the expected size of the next one. */
const LEARNING_RATE = 0.1;

/** The room of one user, or of all together, and what is in it. */
export interface Part {
  /** How many of its triggers may be sent at once. */
  slots: number;
  sending: number;
  /** Triggers that were sent and whose results are not stored yet. */
  settling: number;
  /** Places taken, including reserved ones. */
  places: number;
  reserved: number;
  /** The size of the bodies held. */
  bytes: number;
  /** Bytes expected for the reserved places. */
  promised: number;
  /** The size expected of the next body, learned from recent ones. */
  expected: number;
  /** Whether a trigger was refused because this user's part was full. */
  refused: boolean;
}

/** A part with nothing in it. */
export const emptyPart = (slots: number, expected: number): Part => ({
  slots,
  sending: 0,
  settling: 0,
  places: 0,
  reserved: 0,
  bytes: 0,
  promised: 0,
  expected,
  refused: false,
});

/** Reserves a place for a body of this size. */
export function promise(part: Part, bytes: number): void {
  part.places++;
  part.reserved++;
  part.promised += bytes;
}

/** A user who holds nothing may have one body, however large. */
export const fits = ({ places, bytes, promised }: Part, more: number, left: number, maxBytes: number) =>
  places === 0 || (left > 0 && bytes + promised + more <= maxBytes);

/** Learns from the size of a new body. */
export function learn(part: Part, all: Part, bytes: number): void {
  part.expected = Math.round(part.expected + (bytes - part.expected) * LEARNING_RATE);
  all.expected = Math.round(all.expected + (bytes - all.expected) * LEARNING_RATE);
}
