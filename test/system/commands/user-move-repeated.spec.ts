import { beforeEach, describe, expect, it } from '@jest/globals';
import { expectProblem } from '../../support/api.js';
import { databases } from '../../support/databases.js';
import { newUser, notify } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { NOTHING, receiptOf, useCell, useTransfer } from './test-cell.js';

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
type Json = any;

/** What was done before is not done twice, by whichever command or call, in whichever cell. */
describe.each(databases.slice(-1))('repeating what was done before a move on $name', (kind) => {
  const transfer = useTransfer();
  const old = useCell(kind, transfer);
  const fresh = useCell(kind, transfer);
  let user: string;
  let webhook: Json;
  let path: string;

  beforeEach(async () => {
    user = newUser();
    path = transfer.file('user.json');
    webhook = await createWebhook(old.cell, { user_id: user });
  });

  it('imports once, and says so if it is repeated', async () => {
    await old.cell.export(user, path);
    const first = await fresh.cell.import(path);
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('1 webhook and 0 API keys') });
    await fresh.cell.call('PATCH', '/v1/webhook', { id: webhook.id, name: 'changed since' });
    const rows = await fresh.cell.stored(user);
    const again = await fresh.cell.import(path);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing was changed') });
    expect(receiptOf(again)).toBe(receiptOf(first));
    expect(await fresh.cell.stored(user)).toEqual(rows);
    await fresh.cell.call('DELETE', `/v1/webhook?id=${webhook.id}`);
    expect(await fresh.cell.import(path)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('nothing'),
    });
    expect(await fresh.cell.stored(user)).toEqual(NOTHING);
    // The same export, repeated, is the same move.
    expect(await old.cell.export(user, transfer.file('again.json'))).toMatchObject({ code: 0 });
    expect(receiptOf(await fresh.cell.import(transfer.file('again.json')))).toBe(receiptOf(first));
    expect(await fresh.cell.stored(user)).toEqual(NOTHING);
  }, 120_000);

  it('answers what was done before the move as it was answered then, and does nothing twice', async () => {
    const url = 'http://127.0.0.1:49151/hooks';
    const call = (path: string, body: object, key: string) =>
      old.cell.call('POST', path, body, { headers: { 'idempotency-key': key } });
    const create = () => call('/v1/webhook', { user_id: user, name: 'a', url }, 'create');
    const report = (id: string, key: string) =>
      call(
        '/v1/notification',
        { event_kind: 'STATUS_CHANGED', user_id: user, record: { id, analysis: [] } },
        key,
      );
    const [created, reported] = [await create(), await report('r', 'report')];
    expect([created.status, reported.status]).toEqual([201, 202]);
    const retried = (await notify(old.cell, user)).body.triggers[0].id;
    // Cancels what waits.
    for (const id of [webhook.id, created.body.id])
      await old.cell.call('PATCH', '/v1/webhook', { id, enabled: false });
    await old.cell.call('PATCH', '/v1/webhook', { id: webhook.id, enabled: true });
    await old.cell.export(user, path);
    expect(await create()).toMatchObject({ status: 201, body: { id: created.body.id } });
    const receipt = receiptOf(await fresh.cell.import(path));
    expect(await fresh.cell.import(path)).toMatchObject({ code: 0 });

    const isDone = async () => (await old.cell.status(user)).stdout.includes('to deliver: 0 triggers');
    await until(isDone, { what: 'that nothing is left' });
    // Reports are refused from then on; what is removed is removed later.
    expect(await old.cell.finish(user, receipt, { FAILPOINT: 'move-closed' })).toMatchObject({
      signal: 'SIGKILL',
    });
    const isClosed = async () => (await notify(old.cell, user)).status === 409;
    await until(isClosed, { what: 'that reports are refused' });
    expect(await report('r', 'report')).toMatchObject({ status: 202, body: { id: reported.body.id } });
    expectProblem(await report('another', 'report'), 422, 'idempotency_key_reused');
    expectProblem(await report('another', 'other'), 409, 'user_moved');
    expectProblem(
      await old.cell.call('POST', '/v1/webhook/trigger/retry', { id: retried }),
      409,
      'user_moved',
    );
    const since = new Date(0).toISOString();
    expectProblem(
      await old.cell.call('POST', '/v1/webhook/recover', { id: webhook.id, since }),
      409,
      'user_moved',
    );
    const many = await old.cell.call('POST', '/v1/webhook/trigger/retry', { ids: [retried] });
    expect(many.body).toEqual({ triggers: 0, skipped: [{ id: retried, code: 'user_moved' }] });
  }, 120_000);
});
