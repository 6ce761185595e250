import type { LimitSource } from '../../src/engine/queue/limit-source.js';

/** Every webhook has the limits of the service. */
export const NO_LIMITS: LimitSource = {
  limitsOf: () => null,
  reserveStarts: async (_webhookId, _intervalMs, count) => ({ delayMs: 0, count }),
};
