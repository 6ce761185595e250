import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { TestClock } from '../../../src/module/testing/test-clock.js';
import { boundWaits } from '../../../src/store/mysql/mysql-bounds.js';
import { createDataSource, dataSourceOptions } from '../../../src/store/schema/data-source.js';
import { opened } from '../../database/server.js';
import { useClock } from '../../support/clock.js';
import { useReceiver } from '../../support/fixture.js';
import { finished, newUser, notifyTimes } from '../../support/scene.js';
import { startService } from '../../support/service.js';
import { createWebhook } from '../../support/webhook.js';
import { hasMariadb, PrivateMariadb } from '../support/mariadb.js';

const ALLOWED = 3;
const IN_A_BURST = 30;
/** One for each test: the server learns late that the connections of the one before are closed. */
const USERS = ['service', 'pool'] as const;

(hasMariadb ? describe : describe.skip)('a user of MariaDB who may have three connections', () => {
  const receiver = useReceiver();
  const closing: (() => Promise<unknown>)[] = [];
  let mariadb: PrivateMariadb;

  beforeAll(async () => {
    mariadb = await PrivateMariadb.start();
    for (const user of USERS) {
      await mariadb.query(`CREATE USER ${user}`);
      await mariadb.query(`GRANT ALL ON torture.* TO ${user}`);
      await allow(user, ALLOWED);
    }
    await (await opened(mariadb.url)).destroy();
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });
  afterAll(() => mariadb?.close());

  const urlOf = (user: (typeof USERS)[number]) => mariadb.url.replace('//root@', `//${user}@`);
  const allow = (user: (typeof USERS)[number], count: number) =>
    mariadb.query(`ALTER USER ${user} WITH MAX_USER_CONNECTIONS ${count}`);

  /** A pool that wants ten, as the service has it. */
  async function pool(): Promise<DataSource> {
    const dataSource = await createDataSource(dataSourceOptions(urlOf('pool'))).initialize();
    closing.push(() => dataSource.destroy());
    boundWaits(dataSource);
    return dataSource;
  }

  /** How many connections answer a burst of calls. */
  async function answering(dataSource: DataSource): Promise<number> {
    const ask = () => dataSource.query<{ id: number }[]>('SELECT CONNECTION_ID() AS id, SLEEP(0.01)');
    const answers = await Promise.all(Array.from({ length: IN_A_BURST }, ask));
    return new Set(answers.map(([row]) => row?.id)).size;
  }

  it('has every call of the service answered, however many there are at once', async () => {
    const service = await startService(urlOf('service'));
    closing.push(() => service.stop());
    const user = newUser();
    await createWebhook(service, { user_id: user, url: receiver.url });
    const list = () => service.call('GET', `/v1/webhook/trigger/list?user_id=${user}`);
    const [answers, lists] = await Promise.all([
      notifyTimes(IN_A_BURST, service, user),
      Promise.all(Array.from({ length: IN_A_BURST }, list)),
    ]);
    for (const { status } of lists) expect(status).toBe(200);
    for (const { status, body } of answers) {
      expect(status).toBe(202);
      expect((await finished(service, body.triggers[0].id)).status).toBe('SUCCEEDED');
    }
  });

  it('has a pool make do with those for ten seconds, and then ask for more', async () => {
    const clock = new TestClock();
    const undo = useClock(clock);
    closing.push(async () => undo());
    const dataSource = await pool();
    expect(await answering(dataSource)).toBeLessThanOrEqual(ALLOWED);
    await allow('pool', 0);
    expect(await answering(dataSource)).toBeLessThanOrEqual(ALLOWED);
    clock.advance(10_000);
    expect(await answering(dataSource)).toBeGreaterThan(ALLOWED);
  });
});
