import fc from 'fast-check';
import { weighted } from '../../models/weighted.js';

/** What happens, and how often beside the rest. */
const WEIGHTS = {
  /** A notification is accepted. With `late` its transaction stays open: it is stored by `commit`. */
  notify: 8,
  commit: 2,
  claim: 9,
  /** A process begins an attempt of what waits in it, or finds that nobody wants it any more. */
  begin: 18,
  /** An attempt ends. */
  end: 18,
  /** What nobody seems to want is given back. */
  requeue: 5,
  /** An attempt that is none of these disables the webhook, or says that the receiver is gone. */
  breakDown: 5,
  /** A part of what waits is cancelled after that. */
  cancelLeft: 3,
  probe: 2,
  judge: 3,
  recover: 5,
  die: 1,
  takeOver: 2,
  retry: 1,
  erase: 1,
  switchEvent: 0.5,
  enable: 2,
  disable: 0.2,
  move: 0.3,
} as const;

export const step = fc.record({
  does: weighted(WEIGHTS),
  /** The process that does it. */
  by: fc.nat(1),
  /** Which trigger, of those that there are. */
  which: fc.nat(20),
  answer: fc.constantFrom(200, 200, 200, ...Array<number>(14).fill(500), 410),
  /** Whether the process dies after the result was stored, and before the webhook's health is noted. */
  dies: fc.constantFrom(false, false, false, false, false, true),
  late: fc.boolean(),
  ms: fc.constantFrom(0, 1, 100, 700),
});

export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const one = (does: Step['does'], by: number, which: number, more: Partial<Step> = {}): Step => ({
  ...{ does, by, which, answer: 500, dies: false, late: false, ms: 0 },
  ...more,
});

/** An attempt fails for good that was begun before its owner gave the webhook another URL, at which others fail by then. */
export const FAILED_AT_ANOTHER_URL: Step[] = [
  ...[1, 15, 14, 1].map((which) => one('notify', 1, which, { ms: 100 })),
  one('claim', 1, 12, { ms: 700 }),
  one('claim', 1, 20, { ms: 700 }),
  one('begin', 0, 4),
  one('end', 0, 11),
  one('begin', 1, 6),
  one('begin', 1, 1, { ms: 700 }),
  one('move', 0, 6, { ms: 100 }),
  one('takeOver', 1, 2, { ms: 700 }),
  one('begin', 0, 20, { ms: 1 }),
  one('end', 0, 2),
  one('end', 1, 4, { answer: 410 }),
];
