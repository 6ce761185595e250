import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { leaveOut } from '../support/left-out.js';
import { until } from '../support/until.js';
import type { ServiceProcess } from '../system/support/process.js';
import { report, seconds, whole } from '../system/support/suite.js';
import { CONCURRENCY, PATHS } from '../torture/support/settings.js';
import { Stage } from '../torture/support/stage.js';
import { Galera, missingForGalera } from './support/galera.js';
import { GroupReplication, missingForGroupReplication } from './support/group-replication.js';
import { Haproxy, missingForHaproxy } from './support/haproxy.js';
import type { Cluster, DatabaseNode } from './support/node.js';

interface Kind {
  name: string;
  missing: string[];
  /** HAProxy's file. */
  config: string;
  /** How long deliveries may pause. How long the cluster takes is not ours. */
  allowedMs(clusterMs: number): number;
  /** Whether a node catches up while two cores do all the work of the test. */
  catchesUp: boolean;
  /** Statements by which a node loses its cluster, while clients still reach it, and finds it again. */
  separation?: { begin: string; end: string };
  start(): Promise<Cluster>;
}

/** From a fault on. */
interface Pause {
  /** The longest time without a delivery. */
  deliveryMs: number;
  /** Until the other nodes were a cluster again: before, nobody can write. */
  clusterMs: number;
  /** What everybody had said by its end. */
  logs: string;
}

const shown = (pauses: Pause[]) => ({
  'longest pause': seconds(Math.max(...pauses.map(({ deliveryMs }) => deliveryMs))),
  'of the cluster': seconds(Math.max(...pauses.map(({ clusterMs }) => clusterMs))),
});

/** In HAProxy's file, two checks a second apart, each of which waits a second for its answer. */
const CHECKS_MS = 4000;
/** Until the service has connected, and delivers again. */
const GOES_ON_MS = 2000;

const KINDS: Kind[] = [
  {
    name: 'Galera',
    missing: missingForGalera,
    config: 'haproxy.cfg',
    // The nodes that are left give up one that has been silent for 5 s. Once in some 60 times only one of them did, and they agreed
    // 5 s later.
    allowedMs: (clusterMs) => Math.max(clusterMs, CHECKS_MS) + GOES_ON_MS,
    catchesUp: true,
    separation: {
      begin: "SET GLOBAL wsrep_provider_options = 'gmcast.isolate = 1'",
      end: "SET GLOBAL wsrep_provider_options = 'gmcast.isolate = 0'",
    },
    start: () => Galera.start(),
  },
  {
    name: 'Group Replication',
    missing: missingForGroupReplication,
    config: 'haproxy-group-replication.cfg',
    allowedMs: () => 30_000,
    catchesUp: false,
    start: () => GroupReplication.start(),
  },
];
const INSTANCE = { INSTANCE_TIMEOUT_SECONDS: '15' };
const MORE = 300;

const runs = KINDS.filter(({ name, missing }) => {
  const lacks = [...missing, ...missingForHaproxy];
  if (lacks.length > 0) leaveOut(`${name}, for want of ${lacks.join(', ')}.`);
  return lacks.length === 0;
});
if (runs.length === 0) it.skip('needs a cluster of databases', () => {});

describe.each(runs)('three instances on three nodes of $name', (kind) => {
  const { start, config, allowedMs, catchesUp, separation } = kind;
  let cluster: Cluster;
  let haproxy: Haproxy;
  let stage: Stage;
  /** Requests under way at the faults so far: no more than these may be repeated. */
  let inFlight = 0;

  beforeAll(async () => {
    cluster = await start();
    haproxy = await Haproxy.before(cluster, config);
  }, 120_000);
  beforeEach(async () => {
    inFlight = 0;
    const node = await writer();
    await node.query('DROP DATABASE IF EXISTS cluster');
    await node.query('CREATE DATABASE cluster');
    stage = await Stage.open({ url: haproxy.url }, { processes: [INSTANCE, INSTANCE, INSTANCE] });
    stage.receiver.delayMs = 20;
    stage.load.start();
    await acceptedMore();
  }, 120_000);
  afterEach(() => stage?.close(), 60_000);
  afterAll(async () => {
    await haproxy?.close();
    await cluster?.close();
  }, 60_000);

  const acceptedMore = () => {
    const { load } = stage;
    const { refused, ambiguous } = load;
    return load.acceptedMore(MORE, 60_000).catch(async (error) => {
      const states = await Promise.all(cluster.nodes.map((node) => node.members()));
      const answers = `${load.refused - refused} refused, ${load.ambiguous - ambiguous} unanswered`;
      throw new Error(
        `${error.message}: ${answers}, backlog ${stage.backlog}; members as the nodes see them: ${states}\n${stage.outputs}`,
      );
    });
  };

  async function writer(): Promise<DatabaseNode> {
    const node = await haproxy.writer();
    if (!node) throw new Error('There is no writer.');
    return node;
  }

  /** From the fault of a node until more is accepted. */
  async function pauseOf(node: DatabaseNode, fault: () => unknown): Promise<Pause> {
    const { receiver } = stage;
    inFlight += receiver.inFlight;
    receiver.watchPause();
    const from = Date.now();
    const goOn = async () => {
      await fault();
      const { arrivals } = receiver;
      await acceptedMore();
      await until(() => receiver.arrivals > arrivals + MORE, { withinMs: 30_000, what: 'deliveries' });
    };
    const agree = () => cluster.without(node).then(() => Date.now() - from);
    const [clusterMs] = await Promise.all([agree(), goOn()]);
    const logs = [cluster.logs, haproxy.log, stage.outputs].join('\n---\n');
    return { deliveryMs: receiver.longestPauseMs, clusterMs, logs };
  }

  /** @param moreMs beyond what is allowed usually. */
  function expectShort(pauses: Pause[], moreMs = 0): void {
    for (const { deliveryMs, clusterMs, logs } of pauses)
      if (deliveryMs >= allowedMs(clusterMs) + moreMs)
        throw new Error(`Deliveries paused for ${deliveryMs} ms, the cluster for ${clusterMs} ms.\n${logs}`);
  }

  async function rejoin(node: DatabaseNode): Promise<void> {
    if (!catchesUp) await stage.load.stop();
    await cluster.rejoin(node);
    if (!catchesUp) stage.load.start();
  }

  async function expectNothingLost(row: string, more: Record<string, string | number>): Promise<void> {
    await stage.settle();
    const figures = stage.figures();
    const node = await writer();
    const counted = await node.query<{ status: string; rows: string; attempts: string }>(
      'SELECT status, COUNT(*) AS `rows`, SUM(attempt_count) AS attempts FROM webhook_trigger GROUP BY status',
      'cluster',
    );
    const [stored] = await node.query<{ attempts: number }>(
      'SELECT COUNT(*) AS attempts FROM webhook_attempt',
      'cluster',
    );
    report(row, {
      ...more,
      ...figures,
      refused: stage.load.refused,
      unanswered: stage.load.ambiguous,
      'in flight at the faults': inFlight,
      'slowest answer': seconds(stage.load.slowestMs),
    });
    const delivered = stage.receiver.counts.size;
    expect(counted.map(({ status, rows }) => [status, Number(rows)])).toEqual([['SUCCEEDED', delivered]]);
    expect(Number(stored?.attempts)).toBe(delivered);
    expect(delivered % PATHS.length).toBe(0);
    expect(figures.duplicates).toBeLessThanOrEqual(inFlight);
  }

  it(
    'lose nothing when the writer is killed',
    async () => {
      const times = whole(10, 1);
      const pauses: Pause[] = [];
      for (let round = 0; round < times; round++) {
        const node = await writer();
        pauses.push(await pauseOf(node, () => node.end('SIGKILL')));
        await rejoin(node);
      }
      await expectNothingLost('writer killed', { times, ...shown(pauses) });
      expectShort(pauses);
    },
    whole(600_000, 120_000),
  );

  it('lose nothing when the writer is cut off from its network', async () => {
    const node = await writer();
    const pause = await pauseOf(node, () => node.cutOff());
    await acceptedMore();
    node.connect();
    await cluster.whole();
    await acceptedMore();
    await expectNothingLost('writer cut off', shown([pause]));
    expectShort([pause]);
  }, 120_000);

  if (whole(false, true)) return;

  if (separation) {
    it('lose nothing when the writer is separated from its cluster and still answers', async () => {
      const node = await writer();
      const pause = await pauseOf(node, () => node.query(separation.begin));
      await acceptedMore();
      await node.query(separation.end);
      await cluster.whole();
      await haproxy.allUp();
      expect(await haproxy.spread(200)).toBe(1);
      await acceptedMore();
      await expectNothingLost('writer separated', shown([pause]));
      // The node answers HAProxy's checks until it has given up the others itself.
      expectShort([pause], CHECKS_MS);
    }, 120_000);
  }

  it('lose nothing when the writer stands still and comes back', async () => {
    const times = 3;
    const pauses: Pause[] = [];
    for (let round = 0; round < times; round++) {
      const node = await writer();
      pauses.push(await pauseOf(node, () => node.signal('SIGSTOP')));
      node.signal('SIGCONT');
      await cluster.whole();
      await acceptedMore();
    }
    await expectNothingLost('writer stopped', { times, ...shown(pauses) });
    expectShort(pauses);
  }, 300_000);

  it('lose nothing when all nodes are killed', async () => {
    const times = 3;
    for (let round = 0; round < times; round++) {
      inFlight += stage.receiver.inFlight;
      await Promise.all(cluster.nodes.map((node) => node.end('SIGKILL')));
      await cluster.startAll();
      await acceptedMore();
    }
    await expectNothingLost('all nodes killed', { times });
  }, 300_000);

  it('lose nothing when all nodes are stopped one after another', async () => {
    inFlight += stage.receiver.inFlight;
    for (const node of cluster.nodes) await node.end('SIGTERM');
    await cluster.startAll();
    await acceptedMore();
    await expectNothingLost('all nodes stopped', {});
  }, 120_000);

  it('take over from an instance that stands still, and do not let it do harm when it goes on', async () => {
    const [still] = stage.services as [ServiceProcess];
    const timeoutMs = Number(INSTANCE.INSTANCE_TIMEOUT_SECONDS) * 1000;
    // Those that it has made count as well until it has stored that they were answered.
    inFlight += CONCURRENCY;
    still.signal('SIGSTOP');
    const from = Date.now();
    // Its own calls are not answered: only the others' are counted.
    await until(() => Date.now() - from > timeoutMs * 2, { withinMs: timeoutMs * 3, what: 'time' });
    still.signal('SIGCONT');
    await acceptedMore();
    await expectNothingLost('an instance stopped', { for: seconds(timeoutMs * 2) });
  }, 120_000);

  it('lose nothing in rolling restarts', async () => {
    const times = 3;
    const pauses: Pause[] = [];
    for (let round = 0; round < times; round++)
      for (const node of cluster.nodes) {
        pauses.push(await pauseOf(node, () => node.end('SIGTERM')));
        await rejoin(node);
      }
    await expectNothingLost('rolling restart', { times, ...shown(pauses) });
    expectShort(pauses);
  }, 900_000);
});
