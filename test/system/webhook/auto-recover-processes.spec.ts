import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Failpoint } from '../../../src/platform/failpoint.js';
import { ADMIN_KEY } from '../../support/call.js';
import { databases } from '../../support/databases.js';
import { useDatabase, useReceiver, useSharing } from '../../support/fixture.js';
import { newUser, notify, triggerWhen } from '../../support/scene.js';
import { until } from '../../support/until.js';
import {
  arrived,
  failing,
  type Json,
  recoveriesOf,
  requestsAt,
  SOON,
  triggersOf,
  untilDisabled,
  untilEnabled,
  WELL,
} from '../../webhook/auto-recover/scene.js';
import { ended } from '../../webhook/recovery/scene.js';
import { ENCRYPTION_KEYS, ServiceProcess } from '../support/process.js';

/** From the look that finds what to probe with to the webhook that is on again. */
const STEPS: Failpoint[] = [
  'probe-written',
  'probe-committed',
  'auto-recover-written',
  'auto-recover-committed',
];

describe.each(databases)('a process that dies while it brings a webhook back, on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  const receiver = useReceiver('test');
  const env = { ENCRYPTION_KEYS, BOOTSTRAP_API_KEY: ADMIN_KEY, INSTANCE_TIMEOUT_SECONDS: '3', ...SOON };
  let service: ServiceProcess;

  beforeEach(async () => {
    service = await ServiceProcess.at({ DATABASE_URL: database.url, ...env });
    database.defer(() => service.end('SIGKILL'));
  });

  /** A webhook that was disabled, and what it has not got. */
  async function disabled(): Promise<[Json, string[]]> {
    const mine = await failing(service, receiver, newUser());
    const ids = await untilDisabled(service, mine);
    return [mine, ids];
  }
  const dead = () => until(() => !service.isRunning, { withinMs: 30_000, what: 'its death' });

  async function comesBack(mine: Json, ids: string[], since: number): Promise<void> {
    await service.start();
    ids.push((await notify(service, mine.user_id)).body.id);
    await untilEnabled(service, mine, 40_000);
    const recoveries = await recoveriesOf(service, mine);
    expect(recoveries).toHaveLength(1);
    expect(await ended(service, recoveries[0].id, 30_000)).toMatchObject({ state: 'DONE' });
    await arrived(receiver, mine, ids, since);
    await until(async () => (await triggersOf(service, mine)).every(({ status }) => status === 'SUCCEEDED'));
  }

  it.each(STEPS)(
    'loses nothing, killed at %s',
    async (failpoint) => {
      await service.start();
      const [mine, ids] = await disabled();
      await service.end('SIGKILL');
      const since = requestsAt(receiver, mine).length;
      receiver.respondWith(mine.path, WELL);
      service.spawn({ FAILPOINT: failpoint });
      await dead();
      expect((await service.exited).signal).toBe('SIGKILL');
      await comesBack(mine, ids, since);
    },
    120_000,
  );

  it('loses nothing, killed while the receiver answers the probe', async () => {
    await service.start();
    const [mine, ids] = await disabled();
    const since = requestsAt(receiver, mine).length;
    receiver.respondWith(mine.path, () => {
      service.signal('SIGKILL');
      return WELL;
    });
    await dead();
    receiver.respondWith(mine.path, WELL);
    await comesBack(mine, ids, since);
  }, 120_000);
});

const WEBHOOKS = 5;
/** The pauses between the first probes, in milliseconds, if nobody probes besides. */
const PAUSES = [400, 800, 1600];

describe.each(databases)('the processes that share a database, on $name', (kind) => {
  const services = useSharing(kind, SOON);
  const receiver = useReceiver();
  const [service] = services;

  /** Of all triggers, in the order in which they were sent. */
  async function probesOf(mine: Json): Promise<Json[]> {
    const all: Json[] = [];
    for (const { id } of await triggersOf(service, mine)) {
      const { body } = await service.call('GET', `/v1/webhook/trigger?id=${id}`);
      const probes = body.attempts.filter(({ cause }: Json) => cause === 'probe');
      all.push(...probes.map(({ begin, end }: Json) => ({ of: body.notification_id, begin, end })));
    }
    return all.sort((a, b) => (a.begin < b.begin ? -1 : 1));
  }

  it('probe a webhook one at a time, and bring it back once', async () => {
    const all: { mine: Json; ids: string[] }[] = [];
    for (let made = 0; made < WEBHOOKS; made++) {
      const mine = await failing(service, receiver, newUser(), { retry_schedule_seconds: [0.2, 3600] });
      const { body } = await notify(service, mine.user_id);
      await triggerWhen(service, body.triggers[0].id, ({ attempt_count }) => attempt_count > 0);
      all.push({ mine, ids: [body.id, ...(await untilDisabled(service, mine))] });
    }
    for (const { mine, ids } of all) {
      await until(async () => (await probesOf(mine)).length > PAUSES.length, {
        withinMs: 20_000,
        what: 'probes',
      });
      const probes = await probesOf(mine);
      for (const [index, pause] of PAUSES.entries()) {
        const passed = Date.parse(probes[index + 1].begin) - Date.parse(probes[index].end);
        expect(passed).toBeGreaterThanOrEqual(pause);
      }
      expect(new Set(probes.map(({ of }) => of))).toEqual(new Set([ids[0]]));
      receiver.respondWith(mine.path, WELL);
    }
    for (const { mine, ids } of all) {
      await untilEnabled(service, mine);
      const recoveries = await recoveriesOf(service, mine);
      expect(recoveries).toHaveLength(1);
      await ended(service, recoveries[0].id, 30_000);
      await arrived(receiver, mine, ids);
    }
  }, 120_000);
});
