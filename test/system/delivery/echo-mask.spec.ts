import { describe, expect, it } from '@jest/globals';
import { EchoMask } from '../../../src/engine/send/echo-mask.js';
import { leastCpuMs } from '../support/computing.js';

describe('EchoMask', () => {
  it('is quick even for a cookie of a thousand values', async () => {
    const values = Array.from({ length: 1000 }, (_, n) => `x=${1000 + n}`);
    const mask = EchoMask.of({ cookie: values.join('; ') });
    const answer = { status: 200, headers: {}, body: '1'.repeat(16 * 1024), truncated: true };
    const search = () => {
      for (let n = 0; n < 10; n++) mask?.masked(answer);
    };
    expect(await leastCpuMs(search, 400)).toBeLessThan(400);
  });
});
