import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { opened } from '../../database/server.js';
import { useReceiver, useTestClock } from '../../support/fixture.js';
import { finished, newUser, notifyTimes } from '../../support/scene.js';
import { startService, type TestService } from '../../support/service.js';
import { createWebhook } from '../../support/webhook.js';
import { hasMariadb, PrivateMariadb } from '../support/mariadb.js';

const ALLOWED = 3;

(hasMariadb ? describe : describe.skip)('a user of MariaDB who may have three connections', () => {
  const clock = useTestClock();
  const receiver = useReceiver();
  let mariadb: PrivateMariadb;
  let service: TestService;

  beforeAll(async () => {
    mariadb = await PrivateMariadb.start();
    await mariadb.query(`CREATE USER few WITH MAX_USER_CONNECTIONS ${ALLOWED}`);
    await mariadb.query('GRANT ALL ON torture.* TO few');
    await (await opened(mariadb.url)).destroy();
    service = await startService(mariadb.url.replace('//root@', '//few@'));
  });
  afterAll(async () => {
    await service?.stop();
    await mariadb?.close();
  });

  const connections = async () => {
    const runners = Array.from({ length: 10 }, () => service.get(DataSource).createQueryRunner());
    const ids = runners.map((runner) =>
      runner
        .query('SELECT CONNECTION_ID() AS id, SLEEP(0)')
        .then(([{ id }]) => id)
        .finally(() => runner.release()),
    );
    return new Set(await Promise.all(ids)).size;
  };

  it('has every call answered, however many there are at once', async () => {
    const user = newUser();
    await createWebhook(service, { user_id: user, url: receiver.url });
    const list = () => service.call('GET', `/v1/webhook/trigger/list?user_id=${user}`);
    const [answers, lists] = await Promise.all([
      notifyTimes(30, service, user),
      Promise.all(Array.from({ length: 30 }, list)),
    ]);
    for (const { status } of lists) expect(status).toBe(200);
    for (const { status, body } of answers) {
      expect(status).toBe(202);
      expect((await finished(service, body.triggers[0].id)).status).toBe('SUCCEEDED');
    }
    expect(await connections()).toBe(ALLOWED);
  });

  it('gets more when they are allowed again', async () => {
    await mariadb.query('ALTER USER few WITH MAX_USER_CONNECTIONS 0');
    expect(await connections()).toBe(ALLOWED);
    clock.advance(10_000);
    expect(await connections()).toBeGreaterThan(ALLOWED);
  });
});
