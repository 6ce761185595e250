import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { describeOnMariadb } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';
import { until } from '../support/until.js';
import type { ServiceProcess } from '../system/support/process.js';
import { report, seconds, whole } from '../system/support/suite.js';
import { PATHS } from './support/settings.js';
import { Stage } from './support/stage.js';

describeOnMariadb('an instance that is frozen', (kind) => {
  const database = useDatabase(kind, 'test');
  let connection: Connection;
  let stage: Stage;

  beforeEach(async () => {
    connection = await createConnection(database.url);
    database.defer(() => connection.end());
    stage = await Stage.on(database, { processes: [{}, {}] });
  });
  afterEach(() => {
    for (const service of stage.services) service.signal('SIGCONT');
  });

  async function query<T>(sql: string): Promise<T[]> {
    const [rows] = await connection.query<RowDataPacket[]>(sql);
    return rows as T[];
  }

  /** Expects every trigger to have succeeded, with attempts numbered 1, 2, ... and exactly one success among them. */
  async function expectConsistent(): Promise<void> {
    const wrong = await query(`SELECT t.id, t.status, t.attempt_count, a.attempts, a.last, a.succeeded
      FROM webhook_trigger AS t LEFT JOIN (
        SELECT trigger_id, COUNT(*) AS attempts, MAX(number) AS last, SUM(error_code IS NULL) AS succeeded
        FROM webhook_attempt GROUP BY trigger_id) AS a ON a.trigger_id = t.id
      WHERE t.status <> 'SUCCEEDED' OR t.leased_by <> ''
        OR NOT (a.attempts <=> t.attempt_count AND a.last <=> t.attempt_count AND a.succeeded <=> 1) LIMIT 10`);
    expect(wrong).toEqual([]);
  }

  const wasGivenUp = (service: ServiceProcess) =>
    until(() => /was without a heartbeat/.test(service.output), {
      withinMs: 20_000,
      what: 'knowing that others have the leases',
    });

  it('stores no results when it resumes after a takeover', async () => {
    const { services, receiver, load } = stage;
    const [frozen] = services as [ServiceProcess, ServiceProcess];
    // Few enough for the process that accepted them to send them all.
    const notifications = 40;
    load.options.urls = [frozen.url];
    load.options.isEnough = (accepted) => accepted >= notifications;
    load.options.workers = 1;
    receiver.hold();
    load.start();
    const triggers = notifications * PATHS.length;
    await until(() => receiver.inFlight === triggers, { what: 'all in flight' });
    frozen.signal('SIGSTOP');
    const frozenAt = Date.now();
    receiver.release(500);
    await until(() => receiver.duplicates === triggers, { withinMs: 30_000, what: 'taking over' });
    const tookMs = Date.now() - frozenAt;
    await until(async () => (await stage.unfinished(services[1])) === 0, { what: 'all done' });
    frozen.signal('SIGCONT');
    await wasGivenUp(frozen);
    await until(async () => (await attempts(frozen)) === triggers, { what: 'the stale results' });
    await stage.settle();
    await expectConsistent();
    const statuses = await query<{ status: string }>(
      `SELECT DISTINCT JSON_VALUE(response, '$.status') AS status FROM webhook_attempt`,
    );
    expect(statuses).toEqual([{ status: '200' }]);
    report('5 SIGSTOP, stale results', { ...stage.figures(), 'longest pause': seconds(tookMs) });
  }, 90_000);

  /** The number of attempts that the process reports. */
  async function attempts(service: ServiceProcess): Promise<number> {
    const { text } = await service.call('GET', '/metrics');
    const counts = text.match(/^webhook_attempts_total\{.*\} \d+$/gm) ?? [];
    return counts.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  }

  const instances = async () =>
    (await query<{ count: number }>('SELECT COUNT(*) AS count FROM webhook_instance'))[0]?.count;

  it(
    'loses nothing under load',
    async () => {
      const times = whole(10, 2);
      const { services, receiver, load } = stage;
      const urls = services.map(({ url }) => url);
      receiver.delayMs = 100;
      load.start();
      for (let round = 0; round < times; round++) {
        const frozen = services[round % 2] as ServiceProcess;
        await until(async () => (await instances()) === 2, { what: 'that both are in the list' });
        await until(() => receiver.inFlight >= 100, { withinMs: 30_000, what: 'load' });
        load.options.urls = urls.filter((url) => url !== frozen.url);
        frozen.signal('SIGSTOP');
        await until(async () => (await instances()) === 1, { withinMs: 15_000, what: 'taking it for dead' });
        frozen.output = '';
        frozen.signal('SIGCONT');
        await wasGivenUp(frozen);
        load.options.urls = urls;
      }
      await stage.settle();
      await expectConsistent();
      report('5 SIGSTOP under load', {
        times,
        ...stage.figures(),
        'longest pause': seconds(receiver.longestPauseMs),
      });
    },
    whole(300_000, 90_000),
  );
});
