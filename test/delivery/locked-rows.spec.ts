import { beforeEach, expect, it } from '@jest/globals';
import { describeOnMariadb } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { hurry } from '../support/hurry.js';
import type { ReceivedRequest } from '../support/receiver.js';
import { attempted, finished, type Json, newUser, trigger, triggerWhen } from '../support/scene.js';
import { type Stranger, strangerAt } from '../support/stranger.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';
import { logged } from './logged.js';

// On SQLite there is no other connection.
describeOnMariadb('rows that are locked on $name', (kind) => {
  const service = useService(kind);
  const receiver = useReceiver('test');
  let stranger: Stranger;
  let user: string;

  beforeEach(async () => {
    user = newUser();
    stranger = await strangerAt(service.database);
  });

  const many = (count: number, of = user) =>
    Promise.all(Array.from({ length: count }, () => trigger(service, of)));
  const idOf = ({ headers }: ReceivedRequest) => String(headers['webhook-id']);

  /** Holds back each answer until it is let go. */
  function holdAnswers(answer: object = {}): (count?: number) => void {
    const waiting: (() => void)[] = [];
    receiver.respondWith(() => {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      return { ...answer, after: promise };
    });
    return (count = waiting.length) => {
      for (const letGo of waiting.splice(0, count)) letGo();
    };
  }
  const delivered = async (ids: string[]) => {
    const sql = `SELECT id FROM webhook_trigger WHERE id IN (?) AND status = 'SUCCEEDED'`;
    return (await stranger.query(sql, [ids])).length === ids.length;
  };
  const whenDelivered = (ids: string[]) =>
    until(() => delivered(ids), { what: 'the delivery of all others' });

  it('hold up no other result, and get their own when they are free again', async () => {
    await createWebhook(service, { user_id: user, url: receiver.url });
    const letGo = holdAnswers();
    const stuck = await many(2);
    await receiver.waitFor(2);
    await stranger.lock('webhook_trigger', stuck);
    // Two batches wait for them.
    letGo(1);
    await until(
      async () => {
        const rows = await stranger.query(`SELECT 1 FROM information_schema.processlist WHERE db = DATABASE()
          AND info LIKE 'UPDATE%webhook_trigger%'`);
        return rows.length > 0;
      },
      { what: 'a first batch' },
    );
    letGo();
    receiver.respondWith({});
    await whenDelivered(await many(200));
    expect(await delivered(stuck)).toBe(false);
    await stranger.letGo();
    for (const id of stuck)
      expect(await finished(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt_count: 1 });
    expect(new Set(receiver.requests.map(idOf)).size).toBe(receiver.requests.length);
  });

  it('take no place that others need, even if there are as many as a webhook may hold', async () => {
    await createWebhook(service, { user_id: user, url: receiver.url });
    const letGo = holdAnswers();
    const stuck: string[] = [];
    // As many as are sent at once, again and again: all of them are sent, and no result can be stored.
    while (stuck.length < 120) {
      const some = await many(10);
      stuck.push(...some);
      await receiver.waitFor(stuck.length);
      await stranger.lock('webhook_trigger', some);
      letGo();
    }
    receiver.respondWith({});
    await whenDelivered(await many(20));
    await stranger.letGo();
    await whenDelivered(stuck);
    expect(new Set(receiver.requests.map(idOf)).size).toBe(receiver.requests.length);
  });

  it.each(['webhook', 'webhook_event'])('hold up the failures of one %s, and of no other', async (table) => {
    const other = newUser();
    const { id, events } = await createWebhook(service, { user_id: user, url: receiver.url });
    await createWebhook(service, { user_id: other, url: receiver.url });
    const letGo = holdAnswers({ status: 500 });
    const stuck = await many(4);
    const free = await many(4, other);
    await receiver.waitFor(8);
    await stranger.lock(table, table === 'webhook' ? [id] : events.map((event: Json) => event.id));
    const told = logged(/Somebody else has locked/);
    letGo();
    await told;
    for (const one of free)
      expect(await attempted(service, one)).toMatchObject({
        status: 'PENDING',
      });
    for (const one of stuck)
      expect(await triggerWhen(service, one, () => true)).toMatchObject({ attempt_count: 0 });
    await stranger.letGo();
    for (const one of stuck) await attempted(service, one);
  });

  it('do not keep others that wait for the same receiver from being requeued', async () => {
    await createWebhook(service, { user_id: user, url: receiver.url });
    const letGo = holdAnswers({ status: 500 });
    const all = await many(40);
    await receiver.waitFor(10);
    const sent = receiver.requests.map(idOf);
    const others = await stranger.query(
      `SELECT id, status FROM webhook_trigger WHERE id IN (?) AND notification_id NOT IN (?)`,
      [all, sent],
    );
    const stuck = String(others.find(({ status }) => status === 'DELIVERING')?.id);
    await stranger.lock('webhook_trigger', [stuck]);
    letGo();
    receiver.respondWith({});
    await whenDelivered(others.flatMap(({ id }) => (id === stuck ? [] : [id])));
    expect(await delivered([stuck])).toBe(false);
    await stranger.letGo();
    await whenDelivered([stuck]);
  });

  // The last one, as it stops the service.
  it('do not keep the process from ending', async () => {
    await createWebhook(service, { user_id: user, url: receiver.url });
    const letGo = holdAnswers();
    const stuck = await many(1);
    await receiver.waitFor(1);
    await stranger.lock('webhook_trigger', stuck);
    letGo();
    const slowly = hurry();
    await service.stop();
    slowly();
  });
});

describeOnMariadb('a locked row among those that a dead instance left on $name', (kind) => {
  const accepting = useService(kind, { ROLE: 'api' }, 'test');
  const receiver = useReceiver('test');

  it('keeps neither the start nor the others waiting', async () => {
    const user = newUser();
    await createWebhook(accepting, { user_id: user, url: receiver.url });
    const ids = await Promise.all(Array.from({ length: 5 }, () => trigger(accepting, user)));
    await accepting.query(`UPDATE webhook_trigger SET status = 'DELIVERING', leased_by = 'dead', lease = 1`);
    const [stuck = '', ...free] = ids;
    const stranger = await strangerAt(accepting.database);
    await stranger.lock('webhook_trigger', [stuck]);
    const sending = await accepting.database.start({ INSTANCE_TIMEOUT_SECONDS: '9' });
    for (const id of free) expect(await finished(sending, id)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await triggerWhen(sending, stuck, () => true)).toMatchObject({ status: 'DELIVERING' });
    await stranger.letGo();
    expect(await finished(sending, stuck)).toMatchObject({ status: 'SUCCEEDED' });
  });
});
