import { describe, expect, it } from '@jest/globals';
import { combinations, once, useAuthentication } from '../../delivery/authentication/use-authentication.js';
import { trigger, triggerWhen } from '../../support/scene.js';

describe.each(combinations)('a token endpoint on $name by $transport', ({ kind, transport }) => {
  const scene = useAuthentication(kind, transport);
  const { service, tokens, client, made } = scene;

  it('gives up at the deadline of the attempt if the token endpoint hangs', async () => {
    tokens.respondWith('silent');
    const settings = { ...once, timeout_ms: 1000, concurrency: 5 };
    await made(client(), { settings });
    const ids = await Promise.all([1, 2, 3].map(() => trigger(service, scene.user)));
    for (const id of ids) {
      const failed = await triggerWhen(service, id, ({ attempt_count }) => attempt_count === 1);
      expect(failed.error).toEqual({ code: 'auth', message: 'The token endpoint did not answer in time.' });
      expect(failed.attempts[0].duration_ms).toBeLessThan(3000);
    }
    expect(tokens.requests.length).toBeLessThanOrEqual(2);
    await tokens.waitFor(() => tokens.openConnections === 0);
  });
});
