import { describe, expect, it } from '@jest/globals';
import { databases } from '../../support/databases.js';
import { useService } from '../../support/fixture.js';
import { newUser, notify } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';
import { leastBlockMs } from '../support/computing.js';

describe.each(databases)('the filter of an event on $name', (kind) => {
  const service = useService(kind, { ROLE: 'api' });

  it('of all webhooks together does not hold up the process while it is read and compiled', async () => {
    const user = newUser();
    const operands = (n: number) => Array.from({ length: 2500 }, (_, i) => [i + n].slice(i % 2));
    for (let n = 0; n < 30; n++) {
      const filter = { a: { $nin: operands(n % 10) }, b: n };
      await createWebhook(service, { user_id: user, events: [{ kind: 'RECORD_FINISHED', filter }] });
    }
    const record = { id: 'rec_1', analysis: [], a: 1, b: -1 };
    const judge = async () =>
      expect(await notify(service, user, { record })).toMatchObject({ status: 202, body: { triggers: [] } });
    expect(await leastBlockMs(judge, 100)).toBeLessThan(100);
  });
});
