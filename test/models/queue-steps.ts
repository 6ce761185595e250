import fc from 'fast-check';
import type { Verdict } from '../../src/engine/queue/breaker.js';

export const MIB = 1024 * 1024;
export const WEBHOOKS = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'];
/** Body sizes; several triggers may share a body. */
export const SIZES = [0, 1, 1000, MIB, 8 * MIB, 20 * MIB];

/** Calls that can be made to the queues. */
export type Step =
  | { do: 'reserve' | 'cancel'; webhookId: string; urgent: boolean }
  | { do: 'put'; webhookId: string; size: number; shared: number }
  | { do: 'take' | 'drain all' }
  | { do: 'sent'; verdict: Verdict; which: number; pauseMs: number }
  | { do: 'done'; which: number }
  | { do: 'drain'; webhookId: string }
  | { do: 'pass' | 'set'; ms: number };

const webhookId = fc.constantFrom(...WEBHOOKS);
const which = fc.nat(20);
export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('reserve' as const), webhookId, urgent: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('cancel' as const), webhookId, urgent: fc.boolean() }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('put' as const),
      webhookId,
      size: fc.constantFrom(...SIZES),
      shared: fc.nat(3),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('take' as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('sent' as const),
      verdict: fc.constantFrom<Verdict>('up', 'down', 'down', 'busy', null),
      pauseMs: fc.constantFrom(0, 0, 1000, 3_600_000),
      which,
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('done' as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('drain' as const), webhookId }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.nat(2000) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('set' as const),
      ms: fc.constantFrom(-3_600_000, 3_600_000),
    }),
  },
);
