import { createHash } from 'node:crypto';
import { beforeEach, expect, it } from '@jest/globals';
import { type Connection, createConnection } from 'mysql2/promise';
import { describeOnMariadb } from '../../support/databases.js';
import { useReceiver, useService } from '../../support/fixture.js';
import { newUser } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';
import { describeWithRabbitmq, useBroker } from '../support/rabbitmq.js';
import { arrived, reportOf } from './scene.js';

// On SQLite there is no other connection.
describeWithRabbitmq('a message whose row is locked', () => {
  describeOnMariadb('on $name', (kind) => {
    const broker = useBroker();
    const service = useService(kind, () => broker.env, 'test');
    const receiver = useReceiver('test');
    let user: string;
    /** A transaction of a process that stands still. */
    let frozen: Connection;

    beforeEach(async () => {
      user = newUser();
      frozen = await createConnection(service.database.url);
      service.database.defer(() => frozen.destroy());
      await frozen.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
      await createWebhook(service, { user_id: user, url: receiver.url });
      await broker.consumers(1);
      await frozen.query('BEGIN');
    });

    const send = (id: string) => broker.send(reportOf(user, id), { messageId: id });
    const hashOf = (id: string) =>
      createHash('sha256')
        .update(JSON.stringify([user, 'intake', id]))
        .digest('hex');

    async function othersArrive(before: string[]): Promise<void> {
      const others = Array.from({ length: 20 }, (_, n) => `other-${n}`);
      // One after another, so that they meet it in every state.
      for (const [n, id] of others.entries()) {
        await send(id);
        await receiver.waitFor((requests) => requests.length > before.length + n, 10_000);
      }
      expect(arrived(receiver)).toEqual([...before, ...others].sort());
    }

    it('holds up no other while it is being stored by a process that stands still', async () => {
      await frozen.query(
        `INSERT INTO webhook_idempotency (hash, request_hash, subject_id, created_at) VALUES (?, 'r', 's', ?)`,
        [hashOf('stuck'), Date.now()],
      );
      await send('stuck');
      await othersArrive([]);
      await frozen.query('ROLLBACK');
      await receiver.waitFor(21, 20_000);
      expect(arrived(receiver)).toContain('stuck');
      await broker.holds(0);
    }, 120_000);

    it('holds up no other if it was stored before, and is a duplicate when its row is free again', async () => {
      await send('stuck');
      await receiver.waitFor(1);
      const sql = 'SELECT hash FROM webhook_idempotency FORCE INDEX (PRIMARY) WHERE hash = ? FOR UPDATE';
      await frozen.query(sql, [hashOf('stuck')]);
      await send('stuck');
      await othersArrive(['stuck']);
      await frozen.query('ROLLBACK');
      await broker.holds(0);
      expect(receiver.requests).toHaveLength(21);
    }, 120_000);

    it('is in use for a call with its key, which others do not wait for', async () => {
      const post = (key: string) =>
        service.call('POST', '/v1/notification', reportOf(user, key), {
          headers: { 'idempotency-key': key },
        });
      const first = await post('stuck');
      await frozen.query('SELECT hash FROM webhook_idempotency FOR UPDATE');
      const [again, ...others] = await Promise.all(['stuck', 'a', 'b', 'c'].map(post));
      expect(again).toMatchObject({ status: 409, body: { code: 'idempotency_key_in_use' } });
      expect(others.map(({ status }) => status)).toEqual([202, 202, 202]);
      await frozen.query('ROLLBACK');
      expect(await post('stuck')).toMatchObject({ status: 202, body: { id: first.body.id } });
    }, 60_000);
  });
});
