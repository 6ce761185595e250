import { beforeEach, describe, expect, it } from '@jest/globals';
import { databases } from '../support/databases.js';
import { outcomes } from '../support/faults.js';
import { useDatabase, useReceiver } from '../support/fixture.js';
import { newUser, notify, triggerWhen } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';
import { freePort } from '../system/support/free-port.js';
import { resetPeak, residentMemory } from '../system/support/memory.js';
import { report, seconds, someOf, whole } from '../system/support/suite.js';
import { FaultServer } from './support/fault-server.js';
import { Stage } from './support/stage.js';

const DEADLINE_MS = 1000;
const SLACK_MS = 1000;
const MEMORY_MIB = 50;
/** Below the failures that open a breaker, because a breaker would delay attempts. */
const ROUNDS = 4;
/** Repetitions, each with new webhooks. */
const TIMES = whole(5, 1);
/** Notifications and trigger reads before memory is measured. */
const WARM = whole(1500, 800);
const READS = 300;

/** An attempt at a fault, with the outcome that it should have. */
interface Tried {
  id: string;
  path: string;
  outcome: string;
  attempt: { duration_ms: number; error: { code: string } | null };
}

describe.each(someOf(databases))('receivers that fail in every way on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  let stage: Stage;
  let faulty: FaultServer;
  const receivers = (['stuck', 'expired', 'valid'] as const).map((tls) => useReceiver('test', { tls }));

  beforeEach(async () => {
    const env = { DELIVERY_TIMEOUT_MS: String(DEADLINE_MS), RETRY_SCHEDULE_SECONDS: '7200' };
    stage = await Stage.on(database, { processes: [env], workers: 2 });
    faulty = await FaultServer.start();
    database.defer(() => faulty.close());
  });

  /** The first attempt of a trigger, once it has ended. */
  const attemptOf = async (id: string): Promise<Tried['attempt']> =>
    (await triggerWhen(stage.service, id, ({ attempts }) => attempts.length > 0)).attempts[0];

  /** Every URL, with the expected outcome of an attempt. */
  async function faults(): Promise<[url: string, outcome: string][]> {
    const [stuck, expired, selfSigned] = receivers.map(({ url }) => url);
    return [
      ...outcomes.map(([outcome, name]): [string, string] => [`${faulty.url}/${name}`, outcome]),
      [`${stuck}/stuck-tls`, 'timeout'],
      [`${expired}/expired`, 'tls'],
      [`${selfSigned}/self-signed`, 'tls'],
      [`${stage.receiver.url.replace('http:', 'https:')}/no-tls`, 'tls'],
      [`http://127.0.0.1:${await freePort()}/nobody`, 'connection_refused'],
    ];
  }

  /** Sends `rounds` notifications to every fault, with webhooks of a new user. */
  async function strike(rounds: number): Promise<Tried[]> {
    const { service } = stage;
    const userId = newUser();
    const expected = new Map<string, Pick<Tried, 'path' | 'outcome'>>();
    for (const [url, outcome] of await faults()) {
      const { id } = await createWebhook(service, { user_id: userId, url });
      expected.set(id, { path: new URL(url).pathname, outcome });
    }
    const triggers: { id: string; webhook_id: string }[] = [];
    for (let round = 0; round < rounds; round++)
      triggers.push(...(await notify(service, userId)).body.triggers);
    // One at a time, so the reads themselves cost little memory.
    const tried: Tried[] = [];
    for (const { id, webhook_id } of triggers) {
      const { path = '', outcome = '' } = expected.get(webhook_id) ?? {};
      // It asks to be left alone, so only the first goes out by itself.
      if (path === '/later-than-ever') await service.call('POST', '/v1/webhook/trigger/retry', { id });
      tried.push({ id, path, outcome, attempt: await attemptOf(id) });
    }
    expect(tried).toHaveLength(expected.size * rounds);
    return tried;
  }

  it(
    'never exceed a deadline, cost little memory, and delay no other receiver',
    async () => {
      const { service, receiver, load } = stage;
      load.start();
      await until(() => load.accepted.size > WARM, { withinMs: 60_000, what: 'warming up' });
      // Runs everything once before measuring, because readers and heaps grow on first use.
      const warm = await strike(1);
      for (let read = 0; read < READS; read++) await attemptOf(warm[read % warm.length]?.id ?? '');
      const { now: idle } = residentMemory(service);
      resetPeak(service);
      receiver.forgetPause();
      receiver.longestPauseMs = 0;
      const tried: Tried[] = [];
      for (let time = 0; time < TIMES; time++) tried.push(...(await strike(ROUNDS)));
      const { peak } = residentMemory(service);
      const pause = receiver.longestPauseMs;
      await stage.arrive();
      const wrong = tried.flatMap(({ path, outcome, attempt }) => {
        const got = attempt.error?.code ?? 'ok';
        return outcome.split(' or ').includes(got) ? [] : [`${path}: ${got}`];
      });
      const longest = Math.max(...tried.map(({ attempt }) => attempt.duration_ms));
      report(`8 receivers that fail, ${kind.name}`, {
        faults: warm.length,
        attempts: tried.length,
        ...stage.figures(),
        'longest attempt': seconds(longest),
        'longest pause of the healthy': seconds(pause),
        'MiB idle': idle,
        'at most': peak,
      });
      expect([...new Set(wrong)].sort()).toEqual([]);
      expect(longest).toBeLessThanOrEqual(DEADLINE_MS + SLACK_MS);
      expect(pause).toBeLessThan(whole(1000, 5000));
      expect(peak - idle).toBeLessThanOrEqual(MEMORY_MIB);
    },
    whole(300_000, 120_000),
  );
});
