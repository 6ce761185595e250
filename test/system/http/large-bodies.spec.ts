import { describe, expect, it } from '@jest/globals';
import { databases } from '../../support/databases.js';
import { useReceiver, useService } from '../../support/fixture.js';
import { newUser, notify } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';

const SMALL = 6;
/** Well before the first of the hanging attempts ends. */
const SOON_MS = 15_000;

describe.each(databases)('large bodies on $name', (kind) => {
  // The receiver closes first; otherwise the service would wait for responses that never come.
  const receiver = useReceiver();
  const service = useService(kind, { DELIVERY_TIMEOUT_MS: '30000' });

  const large = { record: { id: 'rec_1', analysis: [], padding: 'x'.repeat(1_000_000) } };

  it.each(['/hangs', '/fails'])('of one user to %s do not delay other users', async (path) => {
    receiver.respondWith('/hangs', 'silent');
    receiver.respondWith('/fails', { status: 500 });
    const user = newUser();
    for (let i = 0; i < 20; i++)
      await createWebhook(service, { user_id: user, url: `${receiver.url}${path}?${i}` });
    for (let i = 0; i < 10; i++) expect((await notify(service, user, large)).status).toBe(202);
    const other = newUser();
    await createWebhook(service, { user_id: other, url: `${receiver.url}/small-for-${path.slice(1)}` });
    const begin = Date.now();
    for (let i = 0; i < SMALL; i++) await notify(service, other);
    const arrived = () =>
      receiver.requests.filter((request) => request.path === `/small-for-${path.slice(1)}`).length;
    await until(() => arrived() === SMALL, { withinMs: SOON_MS, what: 'small deliveries' });
    expect(Date.now() - begin).toBeLessThan(SOON_MS);
  });
});
