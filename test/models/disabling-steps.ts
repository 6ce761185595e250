import fc from 'fast-check';

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
  giveBack: 5,
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
  does: fc.oneof(
    ...Object.entries(WEIGHTS).map(([does, weight]) => ({
      arbitrary: fc.constant(does as keyof typeof WEIGHTS),
      weight: weight * 10,
    })),
  ),
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
