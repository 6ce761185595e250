import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { StatisticAdding } from '../../src/engine/counts/adding.js';
import { QueueSignals } from '../../src/engine/ledger/queue-signals.js';
import { newId } from '../../src/platform/ids/ids.js';
import { RetentionLag } from '../../src/retention/retention-lag.js';
import { TASKS } from '../../src/retention/tasks.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { finished, newUser, notify } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';
import { useDamage } from './damage.js';

/** Columns that are read apart from each other, the key by which their rows are found, and what of the scene that is. */
const APART = [
  ['webhook_event.filter', 'webhook_id', 'webhook'],
  ['webhook_attempt.phases', 'trigger_id', 'trigger'],
  ['webhook_attempt.response', 'trigger_id', 'trigger'],
  ['webhook_attempt.error_detail', 'trigger_id', 'trigger'],
  ['webhook_request_head.sealed_head', 'id', 'head'],
  ['webhook_notification.body', 'id', 'notification'],
  ['webhook_decision_set.decisions', 'id', 'decisions'],
  ['webhook_statistic.counts', 'user_id', 'user'],
  ['webhook_api_key.scopes', 'user_id', 'user'],
  ['webhook_task.position', 'name', 'task'],
] as const;
/** Is read only where the head of the request can be read. */
const BEHIND = [['webhook_attempt.request', 'trigger_id', 'trigger']] as const;

describe.each(databases)('a damaged row on $name', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '0' });
  const damage = useDamage(service);
  const receiver = useReceiver();
  const neighbour = newUser();
  let user: string;

  beforeAll(async () => {
    await createWebhook(service, { user_id: neighbour, url: `${receiver.url}/neighbour` });
  });
  beforeEach(() => {
    user = newUser();
  });

  const filtered = (of: string, filter: object) =>
    createWebhook(service, {
      user_id: of,
      url: `${receiver.url}/damaged`,
      events: [{ kind: 'RECORD_FINISHED', filter }],
    });
  const one = async (sql: string, id: string) => (await service.query(sql, [id]))[0]?.id as string;

  /** A webhook that was sent one notification in vain, and one that got none. */
  async function scene() {
    receiver.respondWith('/damaged', { status: 500, headers: { 'retry-after': '1' } });
    await service.keyFor(user, 'webhooks:read');
    const { id: webhook } = await filtered(user, { name: 'Ada' });
    await createWebhook(service, { user_id: user, url: receiver.url, enabled: false });
    const { id: notification, triggers } = (await notify(service, user)).body;
    const { id: trigger } = await finished(service, triggers[0].id);
    while (await service.get(StatisticAdding).addSome());
    const task = TASKS.payload;
    await service.query('REPLACE INTO webhook_task (name) VALUES (?)', [task]);
    const ofAttempt = 'SELECT MIN(request_head) AS id FROM webhook_attempt WHERE trigger_id = ?';
    const ofNotification = 'SELECT decision_set AS id FROM webhook_notification WHERE id = ?';
    const [head, decisions] = [await one(ofAttempt, trigger), await one(ofNotification, notification)];
    return { webhook, notification, trigger, head, decisions, user, task };
  }
  type Scene = Awaited<ReturnType<typeof scene>>;

  /** Whatever shows this row, or everybody's, answers with JSON. */
  async function expectShown({ webhook, notification, trigger }: Scene, value: string): Promise<void> {
    const paths = [
      '/v1/webhook/list',
      '/v1/webhook/trigger/list?include=data',
      '/v1/api-key/list',
      `/v1/webhook?id=${webhook}`,
      `/v1/webhook/trigger?id=${trigger}`,
      `/v1/webhook/trigger/attempt/list?trigger_id=${trigger}`,
      `/v1/notification?id=${notification}`,
      `/v1/webhook/stats?id=${webhook}`,
    ];
    for (const path of paths) {
      const { status, body } = await service.call('GET', path);
      expect([value, path, status, typeof body]).toEqual([value, path, 200, 'object']);
    }
  }

  it.each([
    ['in columns that are read apart', APART],
    ['in one that is read behind another', BEHIND],
  ])('is shown and harms nobody: %s', async (_, cells) => {
    const made = await scene();
    const damages = await Promise.all(
      cells.map(async ([cell, key, of]) => {
        const [table, column] = cell.split('.');
        const row = made[of];
        expect(await service.query(`SELECT 1 FROM ${table} WHERE ${key} = ?`, [row])).not.toEqual([]);
        const values = column?.startsWith('sealed_') ? damage.sealedValues(row) : damage.values();
        return { row, values, sql: `UPDATE ${table} SET ${column} = ? WHERE ${key} = ?` };
      }),
    );
    const most = Math.max(...damages.map(({ values }) => values.length));
    for (let at = 0; at < most; at++) {
      for (const { sql, row, values } of damages) await damage.set(sql, [values[at % values.length], row]);
      await expectShown(made, `value ${at} of each column`);
      expect((await notify(service, user)).status).toBe(202);
    }
    expect(await service.get(RetentionLag).seconds()).toBe(0);
    const { body } = await notify(service, neighbour);
    expect(await finished(service, body.triggers[0].id)).toMatchObject({ status: 'SUCCEEDED' });
    for (const { body: sent } of receiver.requests.splice(0)) JSON.parse(sent.toString());
    for (const { row } of damages) damage.expectToldOnce(row);
    const erased = await service.call('DELETE', `/v1/notification?user_id=${user}&record_id=rec_1`);
    expect(erased.status).toBe(200);
  });

  it('sends nothing where the notification is damaged', async () => {
    const { trigger, notification } = await scene();
    for (const value of ['{"data":{"id":"rec_1"', '', 'null']) {
      await damage.set('UPDATE webhook_notification SET body = ? WHERE id = ?', [
        Buffer.from(value),
        notification,
      ]);
      receiver.requests.length = 0;
      await service.call('POST', '/v1/webhook/trigger/retry', { id: trigger });
      const failed = await until(async () => {
        const { body } = await service.call('GET', `/v1/webhook/trigger?id=${trigger}`);
        return body.status === 'FAILED' && body.error.code === 'internal' && body;
      });
      expect(failed.request_data.body).toBeUndefined();
      expect(receiver.requests).toEqual([]);
    }
  });

  it('tells nothing of a notice that is damaged, and all others', async () => {
    const watching = { user_id: user, url: `${receiver.url}/watch`, events: ['TRIGGER_FAILED'] };
    await createWebhook(service, watching);
    const notice = (data: string) =>
      damage.set(
        `INSERT INTO webhook_notice (id, user_id, event_kind, about_webhook_id, triggered_at, hops, data)
         VALUES (?, ?, 'TRIGGER_FAILED', ?, 1, 0, ?)`,
        [newId(), user, newId(), data],
      );
    for (const value of damage.values()) await notice(value);
    await notice('{"whole":true}');
    service.get(QueueSignals).emit('noticed');
    await until(() => receiver.requests.some(({ body }) => body.includes('whole')));
    expect(await service.query('SELECT id FROM webhook_notice')).toEqual([]);
    const told = receiver.requests.filter(({ path }) => path === '/watch');
    for (const { body } of told) expect(JSON.parse(body.toString()).data).toBeInstanceOf(Object);
  });

  it.each([
    ['the filter', 'filter', '{"name":"somebody"}'],
    ['the end of the filter', 'filter', '{"name":'],
    ['its hash', 'filter_hash', 'x'.repeat(22)],
    ['its hash, which is gone', 'filter_hash', null],
  ])(
    'shows no filter that does not hold, takes it anew, and keeps the same one of another user: %s',
    async (_, column, value) => {
      const filter = { name: 'nobody', unique: user };
      const other = newUser();
      const { id } = await filtered(user, filter);
      await filtered(other, filter);
      const sent = async (by: string) => (await notify(service, by)).body.triggers.length;
      await damage.set(`UPDATE webhook_event SET ${column} = ? WHERE webhook_id = ?`, [value, id]);
      const shown = await service.call('GET', `/v1/webhook?id=${id}`);
      expect([shown.body.events[0].filter, await sent(user), await sent(other)]).toEqual([null, 1, 0]);
      const events = [{ kind: 'RECORD_FINISHED', filter }];
      const mended = await service.call('PATCH', '/v1/webhook', { id, events });
      expect(mended.body.events[0].filter).toEqual(filter);
      expect(await sent(user)).toBe(0);
    },
  );

  it('answers a repeated call 409 where its stored answer is damaged, and others as ever', async () => {
    const create = (key: string) =>
      service.call(
        'POST',
        '/v1/webhook',
        { user_id: user, name: 'x', url: receiver.url },
        { headers: { 'idempotency-key': `${user} ${key}` } },
      );
    const { body } = await create('first');
    await create('second');
    const hash = await one('SELECT hash AS id FROM webhook_idempotency WHERE subject_id = ?', body.id);
    for (const value of damage.sealedValues(hash)) {
      const sql = 'UPDATE webhook_idempotency SET sealed_answer = ? WHERE hash = ?';
      if (value === '' || !(await damage.set(sql, [value, hash]))) continue;
      expect([value, (await create('first')).body.code]).toEqual([value, 'answer_unreadable']);
    }
    expect((await create('second')).status).toBe(201);
  });
});
