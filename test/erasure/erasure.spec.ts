import { beforeAll, describe, expect, it } from '@jest/globals';
import { NotificationErasure } from '../../src/index.js';
import { Call, withinCall } from '../../src/platform/call.js';
import { expectProblem } from '../support/api.js';
import { setCallDeadline } from '../support/call-deadline.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { attempted, finished, newUser, notify } from '../support/scene.js';
import { createWebhook } from '../support/webhook.js';

const NOTHING = { notifications: 0, triggers: 0, cancelled: 0 };

describe.each(databases)('erasing a record on $name', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '3600,3600' });
  const receiver = useReceiver();
  beforeAll(() => {
    receiver.respondWith('/fails', { status: 500, headers: { 'X-Seen': 'yes' }, body: 'no' });
    receiver.respondWith('/ok', { headers: { 'X-Seen': 'yes' }, body: 'thanks' });
  });

  const erase = (query: Record<string, string>, key?: string) =>
    service.call('DELETE', `/v1/notification?${new URLSearchParams(query)}`, undefined, key ? { key } : {});
  const webhook = (user_id: string, path = '/ok') =>
    createWebhook(service, { user_id, url: receiver.url + path, events: ['RECORD_FINISHED'] });
  const report = async (userId: string, id: string) => {
    const { status, body, text } = await notify(service, userId, {
      record: { id, name: 'Ada', analysis: [] },
    });
    if (status !== 202) throw new Error(text);
    return body;
  };

  /** A trigger that was delivered, whose record is erased. */
  async function erased(user: string): Promise<string> {
    const [{ id }] = (await report(user, 'rec_1')).triggers;
    await finished(service, id);
    await erase({ user_id: user, record_id: 'rec_1' });
    return id;
  }

  it('answers how much was erased, zeros when it is repeated, and leaves triggers and attempts as skeletons', async () => {
    const user = newUser();
    await webhook(user);
    await webhook(user, '/fails');
    const { id: notificationId, triggers } = await report(user, 'rec_1');
    await report(user, 'rec_2');
    for (const { id } of triggers) await attempted(service, id);
    const query = { user_id: user, record_id: 'rec_1' };
    expect(await erase(query)).toMatchObject({
      status: 200,
      body: { notifications: 1, triggers: 2, cancelled: 1 },
    });
    expect(await erase(query)).toMatchObject({ status: 200, body: NOTHING });
    const [delivered, waiting] = await Promise.all(
      triggers.map(({ id }: { id: string }) => finished(service, id)),
    );
    expect(delivered).toMatchObject({
      status: 'SUCCEEDED',
      error: null,
      request_data: { url: null, headers: {} },
      response_data: null,
      attempts: [{ number: 1, response_data: null, error: null }],
    });
    expect(delivered.request_data).not.toHaveProperty('body');
    expect(waiting).toMatchObject({
      status: 'CANCELLED',
      next_attempt_at: null,
      end: expect.any(String),
      error: { code: 'erased', message: expect.stringMatching(/\w/) },
      attempts: [{ error: { code: 'http_status', message: 'The details were erased.' } }],
    });
    const list = await service.call('GET', `/v1/webhook/trigger/list?user_id=${user}&include=data`);
    expect(list).toMatchObject({ status: 200, body: { data: [{}, {}, {}, {}] } });
    const [row] = await service.query(`SELECT * FROM webhook_notification WHERE id = '${notificationId}'`);
    expect(row).toMatchObject({ user_id: user, body: Buffer.alloc(0) });
    expect(Number(row.erased_at)).toBeGreaterThan(0);
    expect(Number(row.payload_gone_at)).toBeGreaterThan(0);
    expect((await erase({ user_id: user, record_id: 'rec_2' })).body).toMatchObject({ notifications: 1 });
  });

  it('says that there is more when its time is over, and a repeated call goes on from there', async () => {
    const user = newUser();
    // Eight of them are more than two transactions may change.
    const record = { id: 'rec_1', name: 'x'.repeat(1_000_000), analysis: [] };
    for (let i = 0; i < 8; i++) await notify(service, user, { record });
    const undo = setCallDeadline(0);
    const call = () => service.get(NotificationErasure).erase(user, { recordId: 'rec_1' });
    const refused = await withinCall(new Call(), call).catch((error: unknown) => error);
    undo();
    expect(refused).toMatchObject({ code: 'erasure_unfinished' });
    const [{ left }] = await service.query(
      'SELECT COUNT(*) AS "left" FROM webhook_notification WHERE user_id = ? AND erased_at = 0',
      [user],
    );
    expect([4, 6]).toContain(Number(left));
    expect(await withinCall(new Call(), call)).toMatchObject({ notifications: Number(left) });
    expect(await call()).toEqual(NOTHING);
  });

  it.each([
    ['in another case', 'REC_1'],
    ['with a blank at its end', 'rec_1 '],
    ['with a blank before it', ' rec_1'],
    ['without its last character', 'rec_'],
    ['with a wildcard', 'rec%'],
    ['with a NUL at its end', 'rec_1\0'],
  ])('does not erase a record with the same id %s', async (_how, other) => {
    const user = newUser();
    await report(user, 'rec_1');
    expect((await erase({ user_id: user, record_id: other })).body).toEqual(NOTHING);
    await report(user, other);
    expect((await erase({ user_id: user, record_id: other })).body).toMatchObject({ notifications: 1 });
    expect((await erase({ user_id: user, record_id: 'rec_1' })).body).toMatchObject({ notifications: 1 });
  });

  it.each(['é', '😀'.repeat(128), 'ж'.repeat(256), "' OR 1=1 --", '\u0000', 'a&b=c#d%'])(
    'finds a record by the id %j',
    async (id) => {
      const user = newUser();
      await report(user, id);
      expect((await erase({ user_id: user, record_id: id })).body).toMatchObject({ notifications: 1 });
    },
  );

  it('is about one user, and needs the scope webhooks:write', async () => {
    const [one, other] = [newUser(), newUser()];
    await report(one, 'rec_1');
    const key = await service.keyFor(other, 'webhooks:write');
    const less = await service.keyFor(one, 'webhooks:read', 'notifications:write');
    expectProblem(await erase({ user_id: one, record_id: 'rec_1' }, key), 403, 'forbidden');
    expectProblem(await erase({ record_id: 'rec_1' }, less), 403, 'forbidden');
    expect((await erase({ record_id: 'rec_1' }, key)).body).toEqual(NOTHING);
    expect((await erase({ user_id: other, record_id: 'rec_1' }, key)).body).toEqual(NOTHING);
    const own = await service.keyFor(one, 'webhooks:write');
    expect((await erase({ record_id: 'rec_1' }, own)).body).toMatchObject({ notifications: 1 });
  });

  it.each([
    ['without a record', 'user_id=acme', ['?record_id']],
    ['with an empty record', 'record_id=', ['?record_id']],
    ['with two records', 'record_id=a&record_id=b', ['?record_id']],
    ['with an id that no record can have', `record_id=${'a'.repeat(257)}`, ['?record_id']],
    ['of nobody', 'record_id=a&user_id=', ['?user_id']],
    ['with another field', 'record_id=a&id=b', ['?id']],
  ])('refuses a call %s', async (_which, query, pointers) => {
    expectProblem(
      await service.call('DELETE', `/v1/notification?${query}`),
      400,
      'validation_failed',
      pointers,
    );
  });

  it('refuses to retry what has no data any more', async () => {
    const user = newUser();
    await webhook(user);
    const id = await erased(user);
    expectProblem(await service.call('POST', '/v1/webhook/trigger/retry', { id }), 409, 'payload_gone');
    expect(await finished(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt_count: 1 });
  });

  it('does not send what waits in this process', async () => {
    const user = newUser();
    const held = Promise.withResolvers<void>();
    receiver.respondWith('/held', { after: held.promise });
    await webhook(user, '/held');
    const reports = await Promise.all(Array.from({ length: 30 }, () => report(user, 'rec_1')));
    const sent = () => receiver.at('/held').length;
    await receiver.waitFor(() => sent() === 10);
    const { body } = await erase({ user_id: user, record_id: 'rec_1' });
    expect(body).toEqual({ notifications: 30, triggers: 30, cancelled: 30 });
    held.resolve();
    const other = await report(user, 'rec_2');
    await finished(service, other.triggers[0].id);
    expect(sent()).toBe(11);
    for (const { triggers } of reports)
      expect(await finished(service, triggers[0].id)).toMatchObject({ attempt_count: 0, attempts: [] });
  });

  it('never leads to a request without a body, even if something makes the trigger due again', async () => {
    const user = newUser();
    receiver.respondWith('/never', {});
    await webhook(user, '/never');
    const id = await erased(user);
    await service.query(
      `UPDATE webhook_trigger SET status = 'PENDING', next_attempt_at = 1 WHERE id = '${id}'`,
    );
    const again = await attempted(service, id, 2);
    expect(again.error).toMatchObject({ code: 'internal' });
    expect(receiver.at('/never')).toHaveLength(1);
  });

  it('answers a repeated report as before', async () => {
    const user = newUser();
    await webhook(user, '/fails');
    const body = { event_kind: 'RECORD_FINISHED', user_id: user, record: { id: 'rec_1', analysis: [] } };
    const headers = { 'Idempotency-Key': user };
    const first = await service.call('POST', '/v1/notification', body, { headers });
    await erase({ user_id: user, record_id: 'rec_1' });
    const again = await service.call('POST', '/v1/notification', body, { headers });
    expect(again.body).toEqual(first.body);
    expect((await erase({ user_id: user, record_id: 'rec_1' })).body).toEqual(NOTHING);
  });
});
