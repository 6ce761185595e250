import { beforeAll, describe, it } from '@jest/globals';
import { databases } from '../../support/databases.js';
import { useDatabase, useReceiver } from '../../support/fixture.js';
import { SLOWNESS } from '../support/computing.js';
import { type ServiceProcess, startProcessOn } from '../support/process.js';
import { report } from '../support/suite.js';
import { costlyRequest } from './costly.js';
import { type Cost, costOf } from './probe.js';
import { answersTo, bytesOf, type FuzzRequest, send } from './request.js';
import { attackWith, shown } from './run.js';
import { ATTACKED, freshNames, lastingNames } from './scene.js';

/** `COSTLY=10000` tries more. */
const REQUESTS = Number(process.env.COSTLY ?? 600);
/** In milliseconds of the reference machine. */
const MOST: Cost = { blockedMs: 100, heldMb: 50 };
/** One of several tries may hold a collection of garbage that others left, or the compiling of code. */
const TRIES = 5;
const isLinux = process.platform === 'linux';

// What is computed before and after the database's work is the same on every database.
(isLinux ? describe : describe.skip).each(databases.slice(0, 1))(
  'a request that is built to be slow, on $name',
  (kind) => {
    const database = useDatabase(kind);
    const receiver = useReceiver();
    const highest: Cost = { blockedMs: 0, heldMb: 0 };
    let service: ServiceProcess;
    let lasting: Map<string, string>;

    beforeAll(async () => {
      service = await startProcessOn(database, ATTACKED);
      lasting = await lastingNames(service, receiver.url);
    });

    /** The least of several tries, so that what comes from elsewhere does not count. */
    async function leastCostOf(request: FuzzRequest, bytes: Buffer): Promise<Cost> {
      const least = { blockedMs: Number.POSITIVE_INFINITY, heldMb: Number.POSITIVE_INFINITY };
      for (let tries = 0; tries < TRIES && !isCheap(least); tries++) {
        const cost = await costOf(service, async () => {
          const [answer] = answersTo(request, await send(service.url, request, [bytes]));
          if (answer?.status === 500) throw new Error('was answered 500');
        });
        least.blockedMs = Math.min(least.blockedMs, cost.blockedMs / SLOWNESS);
        least.heldMb = Math.min(least.heldMb, cost.heldMb);
      }
      highest.blockedMs = Math.max(highest.blockedMs, least.blockedMs);
      highest.heldMb = Math.max(highest.heldMb, least.heldMb);
      return least;
    }

    /** Sends one after the other. @returns the first that is not cheap, or null. */
    async function measure(batch: FuzzRequest[]): Promise<string | null> {
      const names = new Map([...lasting, ...(await freshNames(service, receiver.url))]);
      for (const request of batch) {
        const bytes = bytesOf(request, names);
        const fault = await leastCostOf(request, bytes).then(faultOf, String);
        if (fault) return `${request.operation.name} ${fault}\n--- sent\n${shown(bytes)}`;
      }
      return null;
    }

    it(
      'computes no more than 100 ms at a stretch, and holds no more than 50 MB',
      async () => {
        await attackWith(costlyRequest, REQUESTS, measure);
        const { blockedMs, heldMb } = highest;
        report('costly requests', { 'most ms': blockedMs.toFixed(), 'most MB': heldMb.toFixed() });
      },
      60_000 + REQUESTS * 500,
    );
  },
);

const isCheap = ({ blockedMs, heldMb }: Cost) => blockedMs <= MOST.blockedMs && heldMb <= MOST.heldMb;
const faultOf = (cost: Cost) =>
  isCheap(cost) ? null : `took ${cost.blockedMs} ms at a stretch, and ${cost.heldMb} MB`;
