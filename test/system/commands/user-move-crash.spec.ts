import { existsSync } from 'node:fs';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { expectProblem } from '../../support/api.js';
import { databases } from '../../support/databases.js';
import { newUser, notify } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { type Ended, receiptOf, useCell, useTransfer } from './test-cell.js';

// Each step is one transaction on either database.
describe.each(databases.slice(-1))('a move whose command is killed, on $name', (kind) => {
  const transfer = useTransfer();
  const old = useCell(kind, transfer);
  const fresh = useCell(kind, transfer);
  let user: string;
  let id: string;
  let path: string;

  beforeEach(async () => {
    user = newUser();
    path = transfer.file('user.json');
    id = (await createWebhook(old.cell, { user_id: user, events: ['RECORD_FINISHED'] })).id;
    await old.cell.service.keyFor(user, 'webhooks:read');
  });

  const at = (FAILPOINT: string) => ({ FAILPOINT });
  const killed = ({ signal }: Ended) => expect(signal).toBe('SIGKILL');
  const webhooksOf = async (cell: { rows(table: string, user: string): Promise<unknown[]> }) =>
    (await cell.rows('webhook', user)).length;

  it('goes on from wherever it was, and ends as if it had never been killed', async () => {
    killed(await old.cell.export(user, path, at('move-frozen')));
    expect(existsSync(path)).toBe(false);
    expectProblem(await old.cell.call('PATCH', '/v1/webhook', { id, name: 'a' }), 409, 'user_moved');
    killed(await old.cell.export(user, path, at('move-exported')));
    expect(existsSync(path)).toBe(true);

    killed(await fresh.cell.import(path, at('move-inserted')));
    expect(await webhooksOf(fresh.cell)).toBe(0);
    expect(await fresh.cell.rows('webhook_api_key', user)).toEqual([]);
    killed(await fresh.cell.import(path, at('move-imported')));
    expect(await webhooksOf(fresh.cell)).toBe(1);
    const receipt = receiptOf(await fresh.cell.import(path));
    expect(receipt).toMatch(/^[0-9a-f-]{36}$/);
    expect(await webhooksOf(fresh.cell)).toBe(1);

    killed(await old.cell.finish(user, receipt, at('move-closed')));
    expect(await webhooksOf(old.cell)).toBe(1);
    expectProblem(await notify(old.cell, user), 409, 'user_moved');
    killed(await old.cell.finish(user, receipt, at('move-removed')));
    expect(await webhooksOf(old.cell)).toBe(1);
    killed(await old.cell.finish(user, receipt, at('move-finished')));
    expect(await webhooksOf(old.cell)).toBe(0);
    expect(await old.cell.finish(user, receipt)).toMatchObject({ code: 0 });
    expect(await webhooksOf(fresh.cell)).toBe(1);
  }, 120_000);

  it('can be undone until the user is removed', async () => {
    killed(await old.cell.export(user, path, at('move-exported')));
    const receipt = receiptOf(await fresh.cell.import(path));
    killed(await old.cell.finish(user, receipt, at('move-closed')));
    expect(await old.cell.cancel(user)).toMatchObject({ code: 0 });
    const accepted = async () => (await notify(old.cell, user)).status === 202;
    await until(accepted, { what: 'the first report' });
    expect((await old.cell.call('PATCH', '/v1/webhook', { id, name: 'a' })).status).toBe(200);
    expect(await old.cell.finish(user, receipt)).toMatchObject({ code: 1 });
  }, 120_000);
});
