import { expect, it } from '@jest/globals';
import type { Failpoint } from '../../../src/platform/failpoint.js';
import { ADMIN_KEY } from '../../support/call.js';
import { describeOnMariadb } from '../../support/databases.js';
import { useDatabase, useReceiver } from '../../support/fixture.js';
import { until } from '../../support/until.js';
import { probedAt, SOON, WELL } from '../../webhook/auto-recover/scene.js';
import { ended } from '../../webhook/recovery/scene.js';
import { ENCRYPTION_KEYS, startProcessOn } from '../support/process.js';

/** From the look that finds what to probe with to the webhook that is on again. The receiver kills the third. */
const STEPS: (Failpoint | undefined)[] = [
  'probe-written',
  'probe-committed',
  undefined,
  'auto-recover-written',
  'auto-recover-committed',
];

// Where a killed process leaves a transaction and a lease behind; SQLite's end with the process.
describeOnMariadb('processes that die while they bring a webhook back, on $name', (kind) => {
  const database = useDatabase(kind, 'test', 'migrated');
  const receiver = useReceiver('test');
  const env = { ENCRYPTION_KEYS, BOOTSTRAP_API_KEY: ADMIN_KEY, INSTANCE_TIMEOUT_SECONDS: '3', ...SOON };

  it('lose nothing, killed one after another between every two steps, and while the receiver answers', async () => {
    const service = await startProcessOn(database, env);
    const { failing, report, untilDisabled, webhookOf, triggersOf, recoveriesOf, idsAt } = probedAt(
      service,
      receiver,
    );
    const mine = await failing({ auto_recover: false });
    const ids = await untilDisabled(mine);
    await service.end('SIGKILL');
    // By a process that sends nothing: a probe that was under way at the kill would be sent again, and be well, before the steps.
    await service.start({ ROLE: 'api' });
    const wants = { id: mine.id, settings: { ...mine.settings, auto_recover: true } };
    expect(await service.call('PATCH', '/v1/webhook', wants)).toMatchObject({ status: 200 });
    await service.end('SIGKILL');
    const since = receiver.at(mine.path).length;
    receiver.respondWith(mine.path, [
      () => {
        service.signal('SIGKILL');
        return WELL;
      },
      WELL,
    ]);
    for (const failpoint of STEPS) {
      service.spawn(failpoint && { FAILPOINT: failpoint });
      await until(() => !service.isRunning, { what: `its death at ${failpoint}` });
      expect((await service.exited).signal).toBe('SIGKILL');
    }
    await service.start();
    ids.push((await report(mine)).id);
    await until(async () => (await webhookOf(mine)).enabled);
    const recoveries = await recoveriesOf(mine);
    expect(recoveries).toHaveLength(1);
    expect(await ended(service, recoveries[0].id)).toMatchObject({ state: 'DONE' });
    await until(() => ids.every((id) => idsAt(mine, since).includes(id)));
    await until(async () => (await triggersOf(mine)).every(({ status }) => status === 'SUCCEEDED'));
  });
});
