import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { describeOnMariadb } from '../../support/databases.js';
import { useReceiver, useService } from '../../support/fixture.js';
import { finished, newUser, trigger } from '../../support/scene.js';
import { strangerAt } from '../../support/stranger.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';

describeOnMariadb('a success on $name', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '0' });
  const receiver = useReceiver('test');
  let user: string;
  let webhookId: string;

  const isFailing = async () => {
    const [row] = await service.query('SELECT failing_since FROM webhook WHERE id = ?', [webhookId]);
    return row.failing_since !== null;
  };

  beforeEach(async () => {
    user = newUser();
    ({ id: webhookId } = await createWebhook(service, { user_id: user, url: receiver.url }));
    receiver.respondWith({ status: 400 });
    await finished(service, await trigger(service, user));
    await until(isFailing);
    receiver.respondWith({});
    // A table that no rollback changes.
    await service.query('CREATE TABLE refused (at INTEGER) ENGINE = MyISAM');
  });
  afterEach(async () => {
    await service.query('DROP TRIGGER IF EXISTS refuse');
    await service.query('DROP TABLE refused');
  });

  it.each([
    [1213, 1, 'loses a race'],
    [1213, 9, 'loses races again and again'],
    [1205, 1, 'has to wait for a lock for too long'],
    [1105, 1, 'meets an error that nobody knows'],
  ])('is noted though its statement meets error %i %i times: it %s', async (errno, times) => {
    await service.query(`CREATE TRIGGER refuse BEFORE UPDATE ON webhook FOR EACH ROW
      IF NEW.failing_since IS NULL AND OLD.failing_since IS NOT NULL AND (SELECT COUNT(*) FROM refused) < ${times} THEN
        INSERT INTO refused VALUES (1);
        SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = ${errno}, MESSAGE_TEXT = 'not now';
      END IF`);
    expect(await finished(service, await trigger(service, user))).toMatchObject({ status: 'SUCCEEDED' });
    await until(async () => !(await isFailing()), { what: 'the note' });
    expect(await service.query('SELECT * FROM refused')).toHaveLength(times);
    // None since the success.
    expect(receiver.requests).toHaveLength(3);
  });

  it('is noted when the webhook is not locked any more, and its result does not wait for that', async () => {
    const stranger = await strangerAt(service.database);
    await stranger.lock('webhook', [webhookId]);
    const id = await trigger(service, user);
    expect(await finished(service, id)).toMatchObject({ status: 'SUCCEEDED' });
    // What fails meanwhile is judged after that.
    receiver.respondWith({ status: 400 });
    const failed = await trigger(service, user);
    await receiver.waitFor(4);
    await stranger.letGo();
    expect(await finished(service, failed)).toMatchObject({ status: 'FAILED' });
    await until(async () => {
      const [row] = await service.query(
        `SELECT w.failing_since AS since, t.begin_at AS begin FROM webhook AS w JOIN webhook_trigger AS t
         WHERE w.id = ? AND t.webhook_id = w.id ORDER BY t.id DESC LIMIT 1`,
        [webhookId],
      );
      return row.since === row.begin;
    });
  });
});
