import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { expectProblem } from '../../support/api.js';
import { databases } from '../../support/databases.js';
import { type Json, newUser, notify } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import type { Ended } from '../support/command.js';
import { NOTHING, receiptOf, refused, useMove } from './test-cell.js';

/** Steps that are repeated, killed or taken back. Each is one transaction on either database. */
describe.each(databases.slice(-1))('the steps of a move on $name', (kind) => {
  const { move, old, fresh } = useMove(kind, kind);
  let user: string;
  let webhook: Json;
  let path: string;

  beforeEach(async () => {
    ({ user, path } = move);
    webhook = await createWebhook(old, { user_id: user });
  });

  const at = (FAILPOINT: string) => ({ FAILPOINT });
  const killed = ({ signal }: Ended) => expect(signal).toBe('SIGKILL');

  it('import once, and says so if it is repeated', async () => {
    await old.export();
    const first = await fresh.import();
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('1 webhook and 0 API keys') });
    await fresh.call('PATCH', '/v1/webhook', { id: webhook.id, name: 'changed since' });
    const rows = await fresh.stored();
    const again = await fresh.import();
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing was changed') });
    expect(receiptOf(again)).toBe(receiptOf(first));
    expect(await fresh.stored()).toEqual(rows);
    await fresh.call('DELETE', `/v1/webhook?id=${webhook.id}`);
    expect((await fresh.import()).stdout).toContain('nothing');
    expect(await fresh.stored()).toEqual(NOTHING);
    // The same export, repeated, is the same move.
    expect(await old.export({}, move.file('again.json'))).toMatchObject({ code: 0 });
    expect(receiptOf(await fresh.import({}, move.file('again.json')))).toBe(receiptOf(first));
    expect(await fresh.stored()).toEqual(NOTHING);
  });

  it('answer what was done before the move as it was answered then, and do nothing twice', async () => {
    const url = 'http://127.0.0.1:31151/hooks';
    const call = (path: string, body: object, key: string) =>
      old.call('POST', path, body, { headers: { 'idempotency-key': key } });
    const create = () => call('/v1/webhook', { user_id: user, name: 'a', url }, 'create');
    const report = (id: string, key: string) =>
      call(
        '/v1/notification',
        { event_kind: 'STATUS_CHANGED', user_id: user, record: { id, analysis: [] } },
        key,
      );
    const [created, reported] = [await create(), await report('r', 'report')];
    expect([created.status, reported.status]).toEqual([201, 202]);
    const retried = (await notify(old, user)).body.triggers[0].id;
    // Cancels what waits.
    for (const id of [webhook.id, created.body.id])
      await old.call('PATCH', '/v1/webhook', { id, enabled: false });
    await old.call('PATCH', '/v1/webhook', { id: webhook.id, enabled: true });
    await old.export();
    expect(await create()).toMatchObject({ status: 201, body: { id: created.body.id } });
    const receipt = receiptOf(await fresh.import());
    expect(await fresh.import()).toMatchObject({ code: 0 });

    const isDone = async () => (await old.status()).stdout.includes('to deliver: 0 triggers');
    await until(isDone, { what: 'that nothing is left' });
    // Reports are refused from then on; what is removed is removed later.
    killed(await old.finish(receipt, at('move-closed')));
    const isClosed = async () => (await notify(old, user)).status === 409;
    await until(isClosed, { what: 'that reports are refused' });
    expect(await report('r', 'report')).toMatchObject({ status: 202, body: { id: reported.body.id } });
    expectProblem(await report('another', 'report'), 422, 'idempotency_key_reused');
    expectProblem(await report('another', 'other'), 409, 'user_moved');
    await old.expectMoved('POST', '/v1/webhook/trigger/retry', { id: retried });
    const since = new Date(0).toISOString();
    await old.expectMoved('POST', '/v1/webhook/recover', { id: webhook.id, since });
    const many = await old.call('POST', '/v1/webhook/trigger/retry', { ids: [retried] });
    expect(many.body).toEqual({ triggers: 0, skipped: [{ id: retried, code: 'user_moved' }] });
  });

  it('go on wherever a command was killed, and end as if it had never been', async () => {
    await old.service.keyFor(user, 'webhooks:read');
    killed(await old.export(at('move-frozen')));
    expect(existsSync(path)).toBe(false);
    await old.expectMoved('PATCH', '/v1/webhook', { id: webhook.id, name: 'a' });
    killed(await old.export(at('move-exported')));
    expect(existsSync(path)).toBe(true);

    killed(await fresh.import(at('move-inserted')));
    expect(await fresh.rows('webhook')).toHaveLength(0);
    expect(await fresh.rows('webhook_api_key')).toEqual([]);
    killed(await fresh.import(at('move-imported')));
    expect(await fresh.rows('webhook')).toHaveLength(1);
    const receipt = receiptOf(await fresh.import());
    expect(receipt).toMatch(/^[0-9a-f-]{36}$/);
    expect(await fresh.rows('webhook')).toHaveLength(1);

    killed(await old.finish(receipt, at('move-closed')));
    expect(await old.rows('webhook')).toHaveLength(1);
    expectProblem(await notify(old, user), 409, 'user_moved');
    killed(await old.finish(receipt, at('move-removed')));
    expect(await old.rows('webhook')).toHaveLength(1);
    killed(await old.finish(receipt, at('move-finished')));
    expect(await old.rows('webhook')).toHaveLength(0);
    expect(await old.finish(receipt)).toMatchObject({ code: 0 });
    expect(await fresh.rows('webhook')).toHaveLength(1);
  });

  it('can be undone until the user is removed', async () => {
    killed(await old.export(at('move-exported')));
    const receipt = receiptOf(await fresh.import());
    killed(await old.finish(receipt, at('move-closed')));
    expect(await old.cancel()).toMatchObject({ code: 0 });
    const accepted = async () => (await notify(old, user)).status === 202;
    await until(accepted, { what: 'the first report' });
    expect((await old.call('PATCH', '/v1/webhook', { id: webhook.id, name: 'a' })).status).toBe(200);
    expect(await old.finish(receipt)).toMatchObject({ code: 1 });
  });

  it('do not end without the receipt of the import', async () => {
    await old.export();
    expect(await old.finish(randomUUID())).toMatchObject(refused('not the receipt'));
    expect(await old.rows('webhook')).toHaveLength(1);
    expect((await notify(old, user)).body.triggers).toHaveLength(1);
    const receipt = receiptOf(await fresh.import());
    const early = await old.finish(receipt);
    expect(early).toMatchObject({ code: 3, stderr: expect.stringContaining('1 triggers') });
    // Nothing has changed for those who report.
    expect((await notify(old, user)).body.triggers).toHaveLength(1);
  });

  // Beside a command on SQLite nothing else runs.
  const besideIt = kind.name === 'SQLite' ? null : it;
  besideIt?.('never let a change commit beside the export that would lack it', async () => {
    const rename = async (i: number) => {
      const { status } = await old.call('PATCH', '/v1/webhook', { id: webhook.id, description: `${i}` });
      return status === 200 ? i : -1;
    };
    let isOver = false;
    const renaming = (async () => {
      let last = -1;
      for (let i = 0; !isOver; i++) last = Math.max(last, await rename(i));
      return last;
    })();
    expect(await old.export()).toMatchObject({ code: 0 });
    isOver = true;
    const last = await renaming;
    expect(await fresh.import()).toMatchObject({ code: 0 });
    const moved = (await fresh.call('GET', `/v1/webhook?id=${webhook.id}`)).body;
    expect(moved.description).toBe(`${last}`);
  });

  it('print commands that a shell reads as they are meant, whatever the user is called', async () => {
    move.user = `o'neill; echo $(id) "`;
    await createWebhook(old, { user_id: move.user });
    const file = move.file("odd one's.json");
    const printed = [await old.export({}, file), await fresh.import({}, file)].map(({ stdout }) => {
      const command = stdout.slice(stdout.lastIndexOf('npm run user:')).trim();
      return execFileSync('/bin/sh', ['-c', `npm() { printf '%s\\n' "$@"; }; ${command}`], {
        encoding: 'utf8',
      });
    });
    expect(printed[0]?.split('\n')).toEqual(['run', 'user:import', '--', file, '']);
    expect(printed[1]?.split('\n').slice(2, 6)).toEqual(['--', '--user', move.user, '--finish']);
  });

  it('move a hundred webhooks with twenty headers each', async () => {
    move.user = newUser();
    const list = `/v1/webhook/list?user_id=${move.user}&limit=100`;
    const headers = Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => [`X-Header-${i}`, `${i}`.repeat(150)]),
    );
    const fields = { user_id: move.user, headers, metadata: { a: 'b'.repeat(256) } };
    for (let i = 0; i < 100; i++) await createWebhook(old, fields);
    expect(await old.export()).toMatchObject({ code: 0 });
    expect(await fresh.import()).toMatchObject({ code: 0 });
    const { body } = await fresh.call('GET', list);
    expect(body.data).toHaveLength(100);
    expect(Object.keys(body.data[99].headers)).toHaveLength(20);
    const stored = ({ health: _, ...webhook }: { health: object }) => webhook;
    const { data, ...page } = (await old.call('GET', list)).body;
    expect({ ...page, data: data.map(stored) }).toEqual({ ...body, data: body.data.map(stored) });
  });
});
