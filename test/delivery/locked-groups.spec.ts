import { beforeEach, expect, it } from '@jest/globals';
import { OrderingRepository } from '../../src/engine/ordering/ordering.repository.js';
import { describeOnMariadb } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { finished, newUser } from '../support/scene.js';
import { type Stranger, strangerAt } from '../support/stranger.js';
import { createWebhook } from '../support/webhook.js';
import { report, toldBy } from './groups.js';

// On SQLite there is no other process.
describeOnMariadb('a group of $name', (kind) => {
  const service = useService(kind);
  const receiver = useReceiver('test');
  let user: string;
  /** A process that stands still in the middle of a transaction. */
  let frozen: Stranger;

  beforeEach(async () => {
    user = newUser();
    frozen = await strangerAt(service.database);
    await createWebhook(service, { user_id: user, url: receiver.url, settings: { ordering: 'record' } });
  });

  it('that is locked holds up neither other groups nor the result of what was sent', async () => {
    const gate = Promise.withResolvers<void>();
    receiver.respondWith((request) => (toldBy(request).record === 'free' ? {} : { after: gate.promise }));
    const stuck = await report(service, user, 'stuck', 1);
    await receiver.waitFor(1);
    const rows = await frozen.query('SELECT ordering_key FROM webhook_group_head FOR UPDATE');
    expect(rows).not.toEqual([]);
    const next = await report(service, user, 'stuck', 2);
    const free = await report(service, user, 'free', 1);
    expect(await finished(service, free)).toMatchObject({ status: 'SUCCEEDED' });
    gate.resolve();
    expect(await finished(service, stuck)).toMatchObject({ status: 'SUCCEEDED' });
    await frozen.letGo();
    expect(await finished(service, next)).toMatchObject({ status: 'SUCCEEDED' });
  });
});

describeOnMariadb('a group of $name', (kind) => {
  // A process that sends looks by itself.
  const service = useService(kind, { ROLE: 'api' });

  it('is written by everybody who looks: a node of a cluster knows nothing of the locks of another', async () => {
    const user = newUser();
    await createWebhook(service, { user_id: user, settings: { ordering: 'record' } });
    const look = () => service.get(OrderingRepository).processMarks();
    const first = await report(service, user, 'one', 1);
    const writes = async () => {
      const sql = 'SELECT writes FROM webhook_group_head WHERE trigger_id = ?';
      return (await service.query<{ writes: number }>(sql, [first]))[0]?.writes;
    };
    await look();
    const before = (await writes()) as number;
    await report(service, user, 'one', 2);
    await look();
    expect(await writes()).toBe(before + 1);
  });
});
