import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { leaveOut } from '../support/left-out.js';
import { until } from '../support/until.js';
import { hasMariadb, PrivateMariadb } from '../system/support/mariadb.js';
import { residentMemory } from '../system/support/memory.js';
import { report, seconds, whole } from '../system/support/suite.js';
import { Stage } from './support/stage.js';

const AWAY_MS = whole(120_000, 9_000);
/** Every call is answered within this time, whatever the database does. */
const ANSWER_MS = 5000;
/** Refuses a write with error 1030, as MariaDB does for any storage engine error, such as a full disk. */
const REFUSAL = "FOR EACH ROW SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1030, MESSAGE_TEXT = 'no space left'";
const WRITES = {
  webhook_notification: 'INSERT',
  webhook_attempt: 'INSERT',
  webhook_trigger: 'UPDATE',
  webhook_instance: 'UPDATE',
};
/** Allowed growth of memory after the first third of a long outage. */
const MEMORY_MIB = 100;

const group = hasMariadb ? describe : describe.skip;
if (!hasMariadb) leaveOut('outages of MariaDB. No server is installed.');

group('an outage of the database', () => {
  let mariadb: PrivateMariadb;
  let stage: Stage;

  beforeAll(async () => {
    mariadb = await PrivateMariadb.start();
  });
  beforeEach(async () => {
    await mariadb.query('DROP DATABASE torture', '');
    await mariadb.query('CREATE DATABASE torture', '');
    stage = await Stage.open(mariadb);
    stage.receiver.delayMs = 20;
  });
  afterEach(() => stage.close());
  afterAll(() => mariadb.close());

  /** Checks the service while the database is away or refuses writes. @param until resolves when it may come back. */
  async function expectUnavailable(until: () => Promise<unknown>, isAway = true): Promise<void> {
    const { service, load } = stage;
    load.unbounded = true;
    // Answers to earlier commits may still be on their way.
    await load.refusedMore(20);
    const { size } = load.accepted;
    if (isAway) expect(await service.readiness()).toBe(503);
    expect(await service.call('GET', '/health/live')).toMatchObject({ status: 200 });
    await until();
    expect(load.accepted.size).toBe(size);
    load.unbounded = false;
  }

  async function expectNothingLost(row: string, more: Record<string, number | string>): Promise<void> {
    const { load, service } = stage;
    await stage.settle();
    const stored = await mariadb.query<{ id: string }>('SELECT id FROM webhook_notification');
    const ids = new Set(stored.map(({ id }) => id));
    expect([...load.accepted].filter((id) => !ids.has(id))).toEqual([]);
    const { now, peak } = residentMemory(service);
    report(`3 ${row}`, {
      ...more,
      ...stage.figures(),
      refused: load.refused,
      'slowest answer': seconds(load.slowestMs),
      'longest pause': seconds(stage.receiver.longestPauseMs),
      'MiB at the end': now,
      'at most': peak,
    });
    expect(load.ambiguous).toBe(0);
    expect(load.slowestMs).toBeLessThan(ANSWER_MS);
  }

  const changeTriggers = async (statement: (table: string, write: string) => string) => {
    for (const [table, write] of Object.entries(WRITES)) await mariadb.query(statement(table, write));
  };

  it.each<[string, { begin: () => unknown; end: () => unknown; refused: number; isAway?: boolean }]>([
    ['kills', { begin: () => mariadb.end('SIGKILL'), end: () => mariadb.start(), refused: 40 }],
    ['restarts', { begin: () => mariadb.end('SIGTERM'), end: () => mariadb.start(), refused: 40 }],
    [
      'freezes',
      { begin: () => mariadb.signal('SIGSTOP'), end: () => mariadb.signal('SIGCONT'), refused: 20 },
    ],
    [
      'a full disk (error 1030)',
      {
        begin: () =>
          changeTriggers(
            (table, write) => `CREATE TRIGGER full_${table} BEFORE ${write} ON ${table} ${REFUSAL}`,
          ),
        end: () => changeTriggers((table) => `DROP TRIGGER full_${table}`),
        refused: whole(2000, 200),
        isAway: false,
      },
    ],
  ])(
    'by %s loses nothing',
    async (name, { begin, end, refused, isAway = true }) => {
      const times = whole(5, 1);
      stage.load.start();
      for (let round = 0; round < times; round++) {
        await stage.load.acceptedMore(200);
        await begin();
        await expectUnavailable(() => stage.load.refusedMore(refused), isAway);
        await end();
      }
      await stage.load.acceptedMore(200);
      await expectNothingLost(`MariaDB, ${name}`, { times });
      if (!isAway) expect(stage.receiver.duplicates).toBe(0);
    },
    whole(300_000, 90_000),
  );

  it(
    'keeps memory bounded when it lasts',
    async () => {
      const { service, load } = stage;
      load.start();
      await stage.load.acceptedMore(500);
      await mariadb.end('SIGTERM');
      const awayAt = Date.now();
      const passed = (ms: number) =>
        until(() => Date.now() - awayAt > ms, { withinMs: AWAY_MS + 10_000, what: 'time' });
      await expectUnavailable(() => passed(AWAY_MS / 3));
      const before = residentMemory(service).peak;
      await passed(AWAY_MS);
      const { peak } = residentMemory(service);
      await mariadb.start();
      await stage.load.acceptedMore(200);
      await expectNothingLost('MariaDB away', { for: seconds(AWAY_MS), 'MiB early': before, late: peak });
      expect(peak - before).toBeLessThan(MEMORY_MIB);
    },
    AWAY_MS + 90_000,
  );
});
