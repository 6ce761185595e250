import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Vault } from '../../src/common/secret/vault.js';
import { readTransferKey } from '../../src/config/transfer-key.js';
import { expectProblem } from '../support/api.js';
import { databases } from '../support/databases.js';
import { newUser, notify } from '../support/scene.js';
import { createWebhook } from '../support/webhook.js';
import { newTransferKey, receiptOf, useCell, useTransfer } from './test-cell.js';

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
type Json = any;

interface Operation {
  operationId: string;
}
const { paths } = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'));
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

  const refused = (reason: string | RegExp) => ({
    code: 1,
    stdout: '',
    stderr: typeof reason === 'string' ? expect.stringContaining(reason) : expect.stringMatching(reason),
  });
  const stored = async () =>
    Promise.all(['webhook', 'webhook_event', 'webhook_api_key'].map((table) => fresh.cell.rows(table, user)));
  const EMPTY = [[], [], []];

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

  it('tells how it is used', async () => {
    const uses: [string, string[]][] = [
      ['user-export', []],
      ['user-export', ['--user', user]],
      ['user-export', ['--user', user, '--status', '--cancel']],
      ['user-export', ['--user', user, '--finish']],
      ['user-export', ['--user', user, '--out', path, '--receipt', 'x']],
      ['user-export', ['--user', user, '--nonsense']],
      ['user-import', []],
      ['user-import', [path, path]],
    ];
    for (const [name, args] of uses) {
      const { code, stderr } = await old.cell.commandBeside(name, args);
      expect({ args, code, stderr }).toEqual({
        args,
        code: 2,
        stderr: expect.stringMatching(/npm run user:/),
      });
    }
    expect(await old.cell.status(user)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(': here\n'),
    });
  }, 120_000);

  it('does not begin without what it needs', async () => {
    await old.cell.commands(async () => {
      expect(await old.cell.export('nobody', path)).toMatchObject(refused('has no webhook and no API key'));
      const wrongKeys = ['', 'short', Buffer.alloc(31).toString('base64')];
      for (const TRANSFER_KEY of wrongKeys)
        expect(await old.cell.export(user, path, { TRANSFER_KEY })).toMatchObject(refused('TRANSFER_KEY: '));
      writeFileSync(path, 'mine');
      expect(await old.cell.export(user, path)).toMatchObject(refused('There is a file'));
      expect(readFileSync(path, 'utf8')).toBe('mine');
      const nowhere = transfer.file('no/user.json');
      expect(await old.cell.export(user, nowhere)).toMatchObject(refused('cannot be written'));
      const lost = { ENCRYPTION_KEYS: `lost:${newTransferKey()}` };
      const unreadable = await old.cell.export(user, transfer.file('lost.json'), lost);
      expect(unreadable).toMatchObject(refused(`secrets of ${webhook.id} cannot be decrypted`));
      expect(existsSync(transfer.file('lost.json'))).toBe(false);
    });
    // Nothing of this has frozen anything.
    expect((await old.cell.call('PATCH', '/v1/webhook', { id: webhook.id, name: 'a' })).status).toBe(200);
    if (kind.name === 'SQLite')
      expect(
        await old.cell.commandBeside('user-export', ['--user', user, '--out', transfer.file('used.json')]),
      ).toMatchObject(refused('is in use by a process'));
  }, 120_000);

  it('refuses a file that was changed, is sealed with another key, or is none', async () => {
    await old.cell.export(user, path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const text = readFileSync(path, 'utf8');
    const { sealed, ...open } = JSON.parse(text);
    const middle = sealed.length / 2;
    const flipped = sealed[middle] === 'A' ? 'B' : 'A';
    const files: [string, string | RegExp][] = [
      ['', 'no file that user:export has written'],
      [text.slice(0, -20), 'no file that user:export has written'],
      [JSON.stringify({ ...open, sealed: sealed.slice(0, -10) }), 'was changed'],
      [
        JSON.stringify({ ...open, sealed: sealed.slice(0, middle) + flipped + sealed.slice(middle + 1) }),
        'was changed',
      ],
      [JSON.stringify({ ...open, sealed, user_id: 'somebody-else' }), 'was changed'],
      [JSON.stringify({ ...open, sealed, exported_at: '2020-01-01T00:00:00.000Z' }), 'was changed'],
      [JSON.stringify({ ...open, sealed, format: 'webhook-user-2' }), 'in the format "webhook-user-2"'],
      [JSON.stringify({ ...open, sealed, more: 1 }), 'no file that user:export has written'],
    ];
    for (const [content, reason] of files) {
      writeFileSync(transfer.file('bad.json'), content);
      expect(await fresh.cell.commandBeside('user-import', [transfer.file('bad.json')])).toMatchObject(
        refused(reason),
      );
    }
    const TRANSFER_KEY = newTransferKey();
    expect(await fresh.cell.import(path, { TRANSFER_KEY })).toMatchObject(
      refused('with another TRANSFER_KEY'),
    );
    expect(await fresh.cell.import(transfer.file('none.json'))).toMatchObject(refused('cannot be read'));
    expect(await stored()).toEqual(EMPTY);
  }, 120_000);

  it('refuses a file whose key is for all users, or whose user is not the one that it names', async () => {
    const key = readTransferKey({ TRANSFER_KEY: transfer.key }, []);
    const apiKey = { id: randomUUID(), name: null, hash: 'a'.repeat(64), createdAt: 1, lastUsedAt: null };
    const moved = { userId: user, receipt: randomUUID(), webhooks: [] };
    const imported = async (scopes: string, named = user) => {
      const apiKeys = [{ ...apiKey, scopes }];
      // What a cell that cannot be trusted would write: the names outside are bound to the seal, and not to what is in it.
      const open = { format: 'webhook-user-1', user_id: named, exported_at: new Date().toISOString() };
      const plain = JSON.stringify({ ...moved, apiKeys });
      const sealed = new Vault([key]).seal(plain, JSON.stringify(Object.values(open)));
      writeFileSync(path, JSON.stringify({ ...open, sealed }));
      return fresh.cell.import(path);
    };
    expect(await imported('webhooks:read admin')).toMatchObject(refused('written by another version'));
    expect(await imported('webhooks:read', newUser())).toMatchObject(refused('written by another version'));
    expect(await stored()).toEqual(EMPTY);
    expect(await imported('webhooks:read')).toMatchObject({ code: 0 });
  }, 120_000);

  it('imports once, and says so if it is repeated', async () => {
    await old.cell.export(user, path);
    const first = await fresh.cell.import(path);
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('1 webhook and 0 API keys') });
    await fresh.cell.call('PATCH', '/v1/webhook', { id: webhook.id, name: 'changed since' });
    const rows = await stored();
    const again = await fresh.cell.import(path);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing was changed') });
    expect(receiptOf(again)).toBe(receiptOf(first));
    expect(await stored()).toEqual(rows);
    await fresh.cell.call('DELETE', `/v1/webhook?id=${webhook.id}`);
    expect(await fresh.cell.import(path)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('nothing'),
    });
    expect(await stored()).toEqual(EMPTY);
    // The same export, repeated, is the same move.
    expect(await old.cell.export(user, transfer.file('again.json'))).toMatchObject({ code: 0 });
    expect(receiptOf(await fresh.cell.import(transfer.file('again.json')))).toBe(receiptOf(first));
    expect(await stored()).toEqual(EMPTY);
  }, 120_000);

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
    const before = await stored();
    const ended = await fresh.cell.import(path);
    expect(ended).toMatchObject(refused(`webhook ${own.id} has the uid "crm"`));
    expect(ended.stderr).toContain('the user would have 4 webhooks, and WEBHOOKS_PER_USER is 3 here');
    expect(await stored()).toEqual(before);
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
