import fc from 'fast-check';

const HOUR = 3_600_000;
export const WEBHOOKS = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'];

/** Events that can happen to the engine. */
export type Step =
  | { do: 'accept'; webhookId: string; count: number }
  | { do: 'appear'; webhookId: string; count: number; ageMs: number }
  | { do: 'retry'; which: number; isHere: boolean }
  | { do: 'taken' | 'returned'; count: number; ageMs: number }
  | { do: 'receiver'; webhookId: string; is: Receiver }
  | { do: 'database'; isAway: boolean }
  | { do: 'limit'; webhookId: string; concurrency: number; ratePerSecond: number | null }
  | { do: 'pass' | 'set'; ms: number };

export type Receiver = 'up' | 'down' | 'slow';

const webhookId = fc.constantFrom(...WEBHOOKS);
const count = fc.oneof(fc.nat(10), fc.nat(300));
const ageMs = fc.constantFrom(0, 1, 3000, HOUR);
const is = fc.constantFrom<Receiver>('up', 'down', 'down', 'slow');
const limit = fc.record({
  do: fc.constant('limit' as const),
  webhookId: fc.constantFrom('a1', 'b1'),
  concurrency: fc.constantFrom(1, 20),
  ratePerSecond: fc.constantFrom(null, null, null, 0.5, 10, 1000),
});
export const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('accept' as const), webhookId, count }),
  fc.record({ do: fc.constant('appear' as const), webhookId, count, ageMs }),
  fc.record({ do: fc.constant('retry' as const), which: fc.nat(), isHere: fc.boolean() }),
  fc.record({ do: fc.constantFrom('taken' as const, 'returned' as const), count: fc.nat(20), ageMs }),
  fc.record({ do: fc.constant('receiver' as const), webhookId, is }),
  fc.record({ do: fc.constant('database' as const), isAway: fc.boolean() }),
  limit,
  limit,
  fc.record({ do: fc.constant('pass' as const), ms: fc.nat(10_000) }),
  fc.record({ do: fc.constant('pass' as const), ms: fc.nat(10_000) }),
  fc.record({ do: fc.constant('set' as const), ms: fc.constantFrom(-HOUR, HOUR) }),
);
