import { afterEach, describe, expect, it } from '@jest/globals';
import { post, TransportBench, transports } from '../../egress/transports.js';
import type { FaultName } from '../../support/faults.js';

const DEADLINE_MS = 300;
/** Delay that a busy machine may add to a deadline. */
const SLACK_MS = 1_500;

describe.each(transports)('the %s transport', (_name, create) => {
  const bench = new TransportBench(create);

  afterEach(() => bench.close());

  it.each<FaultName>(['silent', 'trickle-headers', 'trickle-body', 'endless-103'])(
    'keeps its deadline: %s',
    async (fault) => {
      const receiver = await bench.receiver();
      receiver.respondWith(fault);
      const startedAt = performance.now();
      await post(bench.transport(), receiver.url, { deadline: AbortSignal.timeout(DEADLINE_MS) });
      expect(performance.now() - startedAt).toBeLessThan(DEADLINE_MS + SLACK_MS);
    },
  );
});
