import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request as send } from 'undici';
import { databases } from '../../support/databases.js';
import { useDatabase, useReceiver } from '../../support/fixture.js';
import { finished, newUser, trigger } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';
import { type ServiceProcess, startProcessOn } from '../support/process.js';
import { report } from '../support/suite.js';
import { type Cost, CostMeter } from './cost.js';
import { type CostlyRequest, costlyRequest } from './costly-request.js';
import { costlyFilter } from './costly-value.js';
import { Random } from './random.js';
import { ATTACKED, freshNames, lastingNames } from './scene.js';

/** `COSTLY=10000` tries more. */
const REQUESTS = Number(process.env.COSTLY ?? 600);
const FIRST = Number(process.env.COSTLY_FROM ?? 0);
const MOST: Cost = { blockedMs: 100, heldMb: 50 };
/** One of several tries may hold a collection of garbage that others left, or the compiling of code. */
const TRIES = 5;
const PER_USER = 200;
const FILTERS = 40;
const FILTER_BYTES = 15_000;

const isLinux = process.platform === 'linux';

// What is computed before and after the database's work is the same on every database.
(isLinux ? describe : describe.skip).each(databases.slice(0, 1))(
  'a request that is built to be slow, on $name',
  (kind) => {
    const database = useDatabase(kind);
    const receiver = useReceiver();
    let service: ServiceProcess;
    let meter: CostMeter;
    let names: Map<string, string>;

    beforeAll(async () => {
      service = await startProcessOn(database, ATTACKED);
      meter = await CostMeter.of(service);
      names = await lastingNames(service, receiver.url);
    });
    afterAll(() => meter?.close());

    /** A new user, whose notifications are judged by filters that are built to be slow as well. */
    async function begin(seed: number): Promise<void> {
      names = new Map([...names, ...(await freshNames(service, receiver.url))]);
      const random = new Random(seed);
      for (let made = 0; made < FILTERS; made++) {
        const event = `{"kind":"RECORD_FINISHED","filter":${costlyFilter(FILTER_BYTES, random)}}`;
        const raw = `{"name":"x","user_id":"${names.get('user')}","url":"${receiver.url}","events":[${event}]}`;
        await service.call('POST', '/v1/webhook', undefined, {
          raw,
          headers: { 'content-type': 'application/json' },
        });
      }
    }

    const named = (text: string) => text.replace(/~([a-z]+\d?)~/g, (all, name) => names.get(name) ?? all);

    async function answer({ method, path, headers, body }: CostlyRequest): Promise<number> {
      const given = Object.entries(headers).map(([name, value]): [string, string] => [
        name,
        named(value).trim(),
      ]);
      const { statusCode, body: answered } = await send(service.url + named(path), {
        method: method as 'GET',
        headers: {
          ...(body === null ? {} : { 'content-type': 'application/json' }),
          ...Object.fromEntries(given),
        },
        body: body === null ? null : named(body),
        ...(path.includes('/stream') ? { signal: AbortSignal.timeout(200) } : {}),
      });
      await answered.dump({ limit: 64 * 1024 * 1024 });
      return statusCode;
    }

    /** The least of several tries, so that what comes from elsewhere does not count. */
    async function costOf(request: CostlyRequest): Promise<Cost> {
      const least = { blockedMs: Number.POSITIVE_INFINITY, heldMb: Number.POSITIVE_INFINITY };
      for (let tries = 0; tries < TRIES && !isCheap(least); tries++) {
        const cost = await meter.measure(async () => {
          const status = await answer(request).catch((error) =>
            isAbort(error) ? 200 : Promise.reject(error),
          );
          if (status === 500) throw new Error(`${request.name} answered 500`);
        });
        least.blockedMs = Math.min(least.blockedMs, cost.blockedMs);
        least.heldMb = Math.min(least.heldMb, cost.heldMb);
      }
      return least;
    }
    const isCheap = ({ blockedMs, heldMb }: Cost) => blockedMs <= MOST.blockedMs && heldMb <= MOST.heldMb;

    it(
      'computes no more than 100 ms at a stretch, and holds no more than 50 MB',
      async () => {
        const expensive: string[] = [];
        const highest: Cost = { blockedMs: 0, heldMb: 0 };
        for (let number = FIRST; number < FIRST + REQUESTS; number++) {
          if ((number - FIRST) % PER_USER === 0) await begin(number);
          const request = costlyRequest(number);
          const cost = await costOf(request);
          highest.blockedMs = Math.max(highest.blockedMs, cost.blockedMs);
          highest.heldMb = Math.max(highest.heldMb, cost.heldMb);
          if (isCheap(cost)) continue;
          const part = JSON.stringify({ ...request, body: request.body?.slice(0, 300) }).slice(0, 600);
          expensive.push(`${number}: ${cost.blockedMs.toFixed()} ms, ${cost.heldMb.toFixed()} MB: ${part}`);
        }
        const { blockedMs, heldMb } = highest;
        report('costly requests', {
          sent: REQUESTS,
          'most ms': blockedMs.toFixed(),
          'most MB': heldMb.toFixed(),
        });
        expect(expensive).toEqual([]);
      },
      60_000 + REQUESTS * 500,
    );

    it('leaves a service that answers and delivers', async () => {
      const user = newUser();
      await createWebhook(service, { user_id: user, url: `${receiver.url}/after` });
      const { status } = await finished(service, await trigger(service, user));
      expect(status).toBe('SUCCEEDED');
    });
  },
);

const isAbort = (error: Error) => error.name === 'TimeoutError' || error.name === 'AbortError';
