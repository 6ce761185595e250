import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { opened, warningsOf } from '../../database/server.js';
import { expectProblem } from '../../support/api.js';
import { useReceiver } from '../../support/fixture.js';
import { finished, newUser, notify, notifyTimes, record } from '../../support/scene.js';
import { startService, type TestService } from '../../support/service.js';
import { createWebhook } from '../../support/webhook.js';
import { hasMariadb, PrivateMariadb } from '../support/mariadb.js';

const KIB = 1024;

(hasMariadb ? describe : describe.skip)('a server of MariaDB with max_allowed_packet = 1M', () => {
  const receiver = useReceiver();
  let mariadb: PrivateMariadb;
  let service: TestService;

  beforeAll(async () => {
    mariadb = await PrivateMariadb.start({}, ['--max-allowed-packet=1M']);
    await (await opened(mariadb.url)).destroy();
    service = await startService(mariadb.url);
  });
  afterAll(async () => {
    await service?.stop();
    await mariadb?.close();
  });

  const ofSize = (bytes: number) => ({ record: { ...record, text: '"'.repeat(bytes / 2) } });

  it('is warned of at the start', async () => {
    const dataSource = await opened(mariadb.url);
    expect(await warningsOf(dataSource)).toContainEqual(
      expect.stringMatching(
        /takes 1048576 bytes at a time \(max_allowed_packet\).*512 KiB.*Set max_allowed_packet to/,
      ),
    );
    await dataSource.destroy();
  });

  it('stores and delivers all that it can take, at once, and has the rest refused for good', async () => {
    const user = newUser();
    await createWebhook(service, { user_id: user, url: receiver.url });
    const [small, fitting, ...large] = await Promise.all([
      notifyTimes(50, service, user),
      ...[500, 520, 700, 1000].map((size) => notifyTimes(3, service, user, ofSize(size * KIB))),
    ]);
    for (const { status, body } of [...small, ...(fitting ?? [])]) {
      expect(status).toBe(202);
      expect((await finished(service, body.triggers[0].id)).status).toBe('SUCCEEDED');
    }
    for (const answer of large.flat()) expectProblem(answer, 413, 'body_too_large');
    expect((await notify(service, user)).status).toBe(202);
  });
});
