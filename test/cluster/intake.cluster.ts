import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { leaveOut } from '../support/left-out.js';
import { until } from '../support/until.js';
import { hasMariadb, PrivateMariadb } from '../system/support/mariadb.js';
import { seconds, whole } from '../system/support/suite.js';
import { IntakeStage } from './support/intake-stage.js';
import { missingForRabbitmq, RabbitmqCluster } from './support/rabbitmq-cluster.js';

const AWAY_MS = whole(60_000, 6_000);
/** A publisher gets its confirm within this time, whatever the database does. */
const CONFIRM_MS = 10_000;
/** From the loss of a node until messages flow again. */
const FAILOVER_MS = 30_000;

const lacks = [...missingForRabbitmq, ...(hasMariadb ? [] : ['mariadbd'])];
const group = lacks.length === 0 ? describe : describe.skip;
if (lacks.length > 0) leaveOut(`intake from a cluster of RabbitMQ, for want of ${lacks.join(', ')}.`);

group('the intake from three nodes of RabbitMQ', () => {
  let cluster: RabbitmqCluster;
  let mariadb: PrivateMariadb;
  let stage: IntakeStage;

  beforeAll(async () => {
    [cluster, mariadb] = await Promise.all([RabbitmqCluster.start(), PrivateMariadb.start()]);
  }, 300_000);
  beforeEach(async () => {
    stage = await IntakeStage.open(cluster, mariadb);
  }, 180_000);
  afterEach(() => stage?.close(), 60_000);
  afterAll(async () => {
    await Promise.all([cluster?.close(), mariadb?.close()]);
  }, 60_000);

  it(
    'keeps its publishers going while the database is away',
    async () => {
      const { publisher, receiver } = stage;
      for (const key of receiver.inFlightKeys) stage.unsettled.add(key);
      await mariadb.end('SIGKILL');
      const from = Date.now();
      const before = publisher.confirmed.size;
      publisher.slowestMs = 0;
      await until(() => Date.now() - from > AWAY_MS, { withinMs: AWAY_MS * 2, what: 'time' });
      const confirmed = publisher.confirmed.size - before;
      const { slowestMs } = publisher;
      await mariadb.start();
      await stage.flows();
      await stage.expectEachOnce('database away behind RabbitMQ', {
        for: seconds(AWAY_MS),
        'confirmed meanwhile': confirmed,
        'slowest of them': seconds(slowestMs),
      });
      expect(confirmed).toBeGreaterThan(AWAY_MS / 50);
      expect(slowestMs).toBeLessThan(CONFIRM_MS);
    },
    whole(600_000, 240_000),
  );

  it(
    'goes on at another node when its own is killed',
    async () => {
      const { receiver, queue } = stage;
      const kills = whole(6, 1);
      let leaders = 0;
      let longest = 0;
      for (let round = 0; round < kills; round++) {
        const { port } = stage;
        const node = cluster.nodeAt(port);
        if (stage.leader === node) leaders++;
        receiver.watchPause();
        await node.end('SIGKILL');
        const hasMoved = () => stage.port !== port;
        await until(hasMoved, { withinMs: FAILOVER_MS, what: 'the service to take from another node' });
        await stage.flows();
        longest = Math.max(longest, receiver.longestPauseMs);
        node.spawn();
        stage.leader = await cluster.whole(queue, node);
        await stage.flows();
      }
      await stage.expectEachOnce('node of RabbitMQ killed', {
        kills,
        'of the leader': leaders,
        'longest pause': seconds(longest),
      });
      expect(longest).toBeLessThan(FAILOVER_MS);
      // The service and its database were there all the time.
      expect(receiver.duplicates).toBe(0);
    },
    whole(900_000, 240_000),
  );

  it(
    'stores each message once when the consumer is killed',
    async () => {
      const { service, receiver } = stage;
      const kills = whole(10, 2);
      for (let round = 0; round < kills; round++) {
        // In the middle of what has gathered: some of it is stored and not acknowledged.
        const before = receiver.messages.size;
        await until(() => receiver.messages.size > before, { withinMs: 60_000, what: 'a new message' });
        await service.end('SIGKILL');
        await receiver.seeCuts();
        await stage.noteUnsettled();
        await stage.confirmedMore();
        service.spawn();
      }
      await service.ready();
      await stage.flows();
      await stage.expectEachOnce('consumer killed', { kills });
    },
    whole(900_000, 240_000),
  );
});
