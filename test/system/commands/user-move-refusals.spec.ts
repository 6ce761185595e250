import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { expectProblem } from '../../support/api.js';
import { databases } from '../../support/databases.js';
import { newUser, notify } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';
import { receiptOf, refused, useCell, useTransfer } from './test-cell.js';

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
type Json = any;

interface Operation {
  operationId: string;
}
const { paths } = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'));
const writing = Object.values<Record<string, Operation>>(paths).flatMap((methods) =>
  Object.entries(methods).flatMap(([method, { operationId }]) => (method === 'get' ? [] : [operationId])),
);

/** Change nothing that moves: they deliver, erase or stop what is here, or only answer. */
const ALLOWED = [
  'recoverWebhook',
  'stopRecovery',
  'testFilter',
  'retryTrigger',
  'notify',
  'eraseRecord',
  'testWebhook',
  'openSession',
  'leaveSession',
];

// Where calls and commands may meet; both databases have moves of their own in user-move.spec.ts.
describe.each(databases.slice(-1))('moving a user on $name', (kind) => {
  const transfer = useTransfer();
  const old = useCell(kind, transfer);
  const fresh = useCell(kind, transfer, { WEBHOOKS_PER_USER: '3' });
  let user: string;
  let webhook: Json;
  let path: string;

  beforeEach(async () => {
    user = newUser();
    path = transfer.file('user.json');
    webhook = await createWebhook(old.cell, { user_id: user, uid: 'crm' });
  });

  it('refuses every call that changes what moves, until it is undone', async () => {
    await old.cell.service.keyFor(user, 'webhooks:read');
    const key = (await old.cell.call('GET', `/v1/api-key/list?user_id=${user}`)).body.data[0].id;
    expect((await old.cell.export(user, path)).code).toBe(0);
    const { id } = webhook;
    const [event] = webhook.events;
    const url = 'http://127.0.0.1:49151/hooks';
    const kindOfEvent = 'TRIGGER_FAILED';
    const FROZEN: Record<string, [method: string, path: string, body?: object][]> = {
      createOrDeleteWebhook: [
        ['POST', '/v1/webhook', { user_id: user, name: 'a', url }],
        ['POST', '/v1/webhook', { id }],
      ],
      putWebhook: [
        ['PUT', '/v1/webhook', { user_id: user, uid: 'crm', name: 'a', url }],
        ['PUT', '/v1/webhook', { user_id: user, uid: 'other', name: 'a', url }],
      ],
      deleteWebhook: [['DELETE', `/v1/webhook?id=${id}`]],
      updateWebhook: [
        ['PATCH', '/v1/webhook', { id, name: 'a' }],
        ['PATCH', '/v1/webhook', { id, enabled: false }],
      ],
      rotateWebhookSecret: [['POST', '/v1/webhook/secret/rotate', { id }]],
      createOrDeleteEvent: [
        ['POST', '/v1/webhook/event', { webhook_id: id, kind: kindOfEvent }],
        ['POST', '/v1/webhook/event', { id: event.id }],
      ],
      deleteEvent: [['DELETE', `/v1/webhook/event?id=${event.id}`]],
      updateEvent: [['PATCH', '/v1/webhook/event', { id: event.id, enabled: false }]],
      createApiKey: [['POST', '/v1/api-key', { user_id: user, scopes: ['webhooks:read'] }]],
      deleteApiKey: [['DELETE', `/v1/api-key?id=${key}`]],
    };
    expect([...Object.keys(FROZEN), ...ALLOWED].sort()).toEqual([...writing].sort());
    const before = await Promise.all(['webhook', 'webhook_event'].map((table) => old.cell.rows(table, user)));
    for (const call of Object.values(FROZEN).flat()) {
      const answer = await old.cell.call(...call);
      expectProblem(answer, 409, 'user_moved');
      expect(answer.body.detail).toContain('Nothing was changed');
    }
    const after = await Promise.all(['webhook', 'webhook_event'].map((table) => old.cell.rows(table, user)));
    expect(after).toEqual(before);
    // Keys of admins and the webhooks of others are not frozen, and reports are accepted.
    await old.cell.service.keyFor(user, 'admin');
    await createWebhook(old.cell, { user_id: newUser() });
    expect((await notify(old.cell, user)).body.triggers).toHaveLength(1);

    expect(await old.cell.cancel(user)).toMatchObject({ code: 0 });
    expect((await old.cell.call('PATCH', '/v1/webhook', { id, name: 'a' })).status).toBe(200);
    expect(await old.cell.cancel(user)).toMatchObject(refused('is not moving'));
    expect(await old.cell.finish(user, randomUUID())).toMatchObject(refused('is not moving'));
  }, 120_000);

  // Beside a command on SQLite nothing else runs.
  const besideIt = kind.name === 'SQLite' ? null : it;
  besideIt?.('never lets a change commit beside the export that would lack it', async () => {
    const rename = async (i: number) => {
      const { status } = await old.cell.call('PATCH', '/v1/webhook', { id: webhook.id, description: `${i}` });
      return status === 200 ? i : -1;
    };
    let isOver = false;
    const renaming = (async () => {
      let last = -1;
      for (let i = 0; !isOver; i++) last = Math.max(last, await rename(i));
      return last;
    })();
    expect(await old.cell.export(user, path)).toMatchObject({ code: 0 });
    isOver = true;
    const last = await renaming;
    expect(await fresh.cell.import(path)).toMatchObject({ code: 0 });
    const moved = (await fresh.cell.call('GET', `/v1/webhook?id=${webhook.id}`)).body;
    expect(moved.description).toBe(`${last}`);
  });

  it('prints commands that a shell reads as they are meant, whatever the user is called', async () => {
    const odd = `o'neill; echo $(id) "`;
    await createWebhook(old.cell, { user_id: odd });
    const file = transfer.file("odd one's.json");
    const printed = [await old.cell.export(odd, file), await fresh.cell.import(file)].map(({ stdout }) => {
      const command = stdout.slice(stdout.lastIndexOf('npm run user:')).trim();
      return execFileSync('/bin/sh', ['-c', `npm() { printf '%s\\n' "$@"; }; ${command}`], {
        encoding: 'utf8',
      });
    });
    expect(printed[0]?.split('\n')).toEqual(['run', 'user:import', '--', file, '']);
    expect(printed[1]?.split('\n').slice(2, 6)).toEqual(['--', '--user', odd, '--finish']);
  }, 120_000);

  it('is not finished without the receipt of the import', async () => {
    await old.cell.export(user, path);
    expect(await old.cell.finish(user, randomUUID())).toMatchObject(refused('not the receipt'));
    expect(await old.cell.rows('webhook', user)).toHaveLength(1);
    expect((await notify(old.cell, user)).body.triggers).toHaveLength(1);
    const receipt = receiptOf(await fresh.cell.import(path));
    const early = await old.cell.finish(user, receipt);
    expect(early).toMatchObject({ code: 3, stderr: expect.stringContaining('1 triggers') });
    // Nothing has changed for those who report.
    expect((await notify(old.cell, user)).body.triggers).toHaveLength(1);
  }, 120_000);

  it('refuses an import where something is in the way, and changes nothing', async () => {
    await createWebhook(old.cell, { user_id: user });
    await old.cell.service.keyFor(user, 'webhooks:read');
    await old.cell.export(user, path);
    const own = await createWebhook(fresh.cell, { user_id: user, uid: 'crm' });
    const second = await createWebhook(fresh.cell, { user_id: user });
    const before = await fresh.cell.stored(user);
    const ended = await fresh.cell.import(path);
    expect(ended).toMatchObject(refused(`webhook ${own.id} has the uid "crm"`));
    expect(ended.stderr).toContain('the user would have 4 webhooks, and WEBHOOKS_PER_USER is 3 here');
    expect(await fresh.cell.stored(user)).toEqual(before);
    for (const { id } of [own, second]) await fresh.cell.call('DELETE', `/v1/webhook?id=${id}`);
    // A file that was given up, of a user who is still there.
    await old.cell.cancel(user);
    const twice = await old.cell.import(path);
    expect(twice).toMatchObject(refused(`webhook ${webhook.id} is here already, of the same user`));
    expect(twice.stderr).toMatch(/API key .* is here already/);
    expect(await fresh.cell.import(path)).toMatchObject({ code: 0 });
  }, 120_000);

  it('moves a hundred webhooks with twenty headers each', async () => {
    const big = newUser();
    const headers = Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => [`X-Header-${i}`, `${i}`.repeat(150)]),
    );
    const fields = { user_id: big, headers, metadata: { a: 'b'.repeat(256) } };
    for (let i = 0; i < 100; i++) await createWebhook(old.cell, fields);
    expect(await old.cell.export(big, path)).toMatchObject({ code: 0 });
    expect(await fresh.cell.import(path)).toMatchObject(refused('WEBHOOKS_PER_USER is 3'));
    expect(await fresh.cell.import(path, { WEBHOOKS_PER_USER: '100' })).toMatchObject({ code: 0 });
    const { body } = await fresh.cell.call('GET', `/v1/webhook/list?user_id=${big}&limit=100`);
    expect(body.data).toHaveLength(100);
    expect(Object.keys(body.data[99].headers)).toHaveLength(20);
    expect((await old.cell.call('GET', `/v1/webhook/list?user_id=${big}&limit=100`)).body).toEqual(body);
  }, 120_000);
});
