import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { databases, type TestDatabase } from '../support/databases.js';
import { freePort } from '../support/free-port.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { newUser, notify } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';
import { FaultServer } from './support/fault-server.js';
import { resetPeak, residentMemory } from './support/memory.js';
import { outcomes } from './support/more-faults.js';
import { report, seconds } from './support/report.js';
import { whole } from './support/settings.js';
import { Stage } from './support/stage.js';

const DEADLINE_MS = 1000;
const SLACK_MS = 1000;
const MEMORY_MIB = 50;
/** Fewer than make a receiver count as down, of which the attempts are put off. */
const ROUNDS = 4;
/** Each with webhooks of its own. */
const TIMES = whole(5, 1);

describe.each(databases)('receivers that fail in every way on $name', (kind) => {
  let database: TestDatabase;
  let stage: Stage;
  let faulty: FaultServer;
  let receivers: Receiver[];

  beforeEach(async () => {
    database = await kind.create();
    const env = { DELIVERY_TIMEOUT_MS: String(DEADLINE_MS), RETRY_SCHEDULE_SECONDS: '7200' };
    stage = await Stage.open(database, { processes: [env], workers: 2 });
    faulty = await FaultServer.start();
    receivers = await Promise.all(
      (['stuck', 'expired', 'valid'] as const).map((tls) => startReceiver({ tls })),
    );
  });
  afterEach(async () => {
    await stage.close();
    await faulty.close();
    await Promise.all(receivers.map((receiver) => receiver.close()));
    await database.drop();
  });

  /** Every URL, and what an attempt there comes to. */
  async function faults(): Promise<[url: string, outcome: string][]> {
    const [stuck, expired, selfSigned] = receivers.map(({ url }) => url);
    return [
      ...Object.entries(outcomes).map(([name, outcome]): [string, string] => [
        `${faulty.url}/${name}`,
        outcome,
      ]),
      [`${stuck}/stuck-tls`, 'timeout'],
      [`${expired}/expired`, 'tls'],
      [`${selfSigned}/self-signed`, 'tls'],
      [`${stage.receiver.url.replace('http:', 'https:')}/no-tls`, 'tls'],
      [`http://127.0.0.1:${await freePort()}/nobody`, 'connection_refused'],
    ];
  }

  it(
    'keep every deadline, cost little memory, and hold up nobody else',
    async () => {
      const { service, receiver, load } = stage;
      const expected = new Map<string, { path: string; outcome: string }>();
      load.start();
      await until(() => load.accepted.size > 1500, { withinMs: 60_000, what: 'warming up' });
      const { now: idle } = residentMemory(service);
      resetPeak(service);
      receiver.forgetPause();
      receiver.longestPauseMs = 0;
      const triggers: { id: string; webhook_id: string }[] = [];
      const attempts: Awaited<ReturnType<typeof attemptOf>>[] = [];
      for (let time = 0; time < TIMES; time++) {
        const userId = newUser();
        for (const [url, outcome] of await faults()) {
          const { id } = await createWebhook(service, { user_id: userId, url });
          expected.set(id, { path: new URL(url).pathname, outcome });
        }
        for (let round = 0; round < ROUNDS; round++) {
          const { body } = await notify(service, userId);
          triggers.push(...body.triggers);
        }
        // One after the other: asking is not to be what costs memory.
        for (const { id } of triggers.slice(attempts.length)) attempts.push(await attemptOf(id));
      }
      expect(triggers).toHaveLength(expected.size * ROUNDS);
      const { peak } = residentMemory(service);
      const pause = receiver.longestPauseMs;
      await stage.arrive();
      const wrong = triggers.flatMap(({ webhook_id }, index) => {
        const { path, outcome } = expected.get(webhook_id) ?? { path: '', outcome: '' };
        const got = attempts[index]?.error?.code ?? 'ok';
        return outcome.split(' or ').includes(got) ? [] : [`${path}: ${got}`];
      });
      const longest = Math.max(...attempts.map(({ duration_ms }) => duration_ms));
      report(`8 receivers that fail, ${kind.name}`, {
        faults: expected.size / TIMES,
        attempts: attempts.length,
        ...stage.figures(),
        'longest attempt': seconds(longest),
        'longest pause of the healthy': seconds(pause),
        'MiB idle': idle,
        'at most': peak,
      });
      expect([...new Set(wrong)].sort()).toEqual([]);
      expect(longest).toBeLessThanOrEqual(DEADLINE_MS + SLACK_MS);
      expect(pause).toBeLessThan(1000);
      expect(peak - idle).toBeLessThanOrEqual(MEMORY_MIB);
    },
    whole(300_000, 120_000),
  );

  /** The one attempt of a trigger, once it is over. */
  function attemptOf(id: string): Promise<{ duration_ms: number; error: { code: string } | null }> {
    return until(
      async () => {
        const { body } = await stage.service.call('GET', `/v1/webhook/trigger?id=${id}`);
        return body.attempts[0];
      },
      { withinMs: 30_000, what: `the attempt of ${id}` },
    );
  }
});
