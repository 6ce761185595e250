import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { storedFilter } from '../../../src/engine/filter/stored-filter.js';
import { readTransferKey } from '../../../src/platform/config/transfer-key.js';
import { Vault } from '../../../src/platform/secret/vault.js';
import { databases } from '../../support/databases.js';
import { type Json, newUser, notify } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';
import { NOTHING, newTransferKey, refused, useMove } from './test-cell.js';

const { paths } = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'));
const writing = Object.values<Json>(paths).flatMap(({ get: _, ...methods }) =>
  Object.values<Json>(methods).map(({ operationId }) => operationId),
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

/** What is refused while a user moves, and by the commands that move one. */
describe.each(databases.slice(-1))('a move on $name', (kind) => {
  const { move, old, fresh } = useMove(kind, kind, { WEBHOOKS_PER_USER: '3' });
  let user: string;
  let webhook: Json;
  let path: string;

  beforeEach(async () => {
    ({ user, path } = move);
    webhook = await createWebhook(old, { user_id: user, uid: 'crm' });
  });

  it('refuses every call that changes what moves, until it is undone', async () => {
    await old.service.keyFor(user, 'webhooks:read');
    const key = (await old.call('GET', `/v1/api-key/list?user_id=${user}`)).body.data[0].id;
    expect((await old.export()).code).toBe(0);
    const { id } = webhook;
    const [event] = webhook.events;
    const url = 'http://127.0.0.1:31151/hooks';
    const FROZEN: [operation: string, method: string, path: string, body?: object][] = [
      ['createOrDeleteWebhook', 'POST', '/v1/webhook', { user_id: user, name: 'a', url }],
      ['createOrDeleteWebhook', 'POST', '/v1/webhook', { id }],
      ['putWebhook', 'PUT', '/v1/webhook', { user_id: user, uid: 'crm', name: 'a', url }],
      ['putWebhook', 'PUT', '/v1/webhook', { user_id: user, uid: 'other', name: 'a', url }],
      ['deleteWebhook', 'DELETE', `/v1/webhook?id=${id}`],
      ['updateWebhook', 'PATCH', '/v1/webhook', { id, name: 'a' }],
      ['updateWebhook', 'PATCH', '/v1/webhook', { id, enabled: false }],
      ['rotateWebhookSecret', 'POST', '/v1/webhook/secret/rotate', { id }],
      ['createOrDeleteEvent', 'POST', '/v1/webhook/event', { webhook_id: id, kind: 'TRIGGER_FAILED' }],
      ['createOrDeleteEvent', 'POST', '/v1/webhook/event', { id: event.id }],
      ['deleteEvent', 'DELETE', `/v1/webhook/event?id=${event.id}`],
      ['updateEvent', 'PATCH', '/v1/webhook/event', { id: event.id, enabled: false }],
      ['createApiKey', 'POST', '/v1/api-key', { user_id: user, scopes: ['webhooks:read'] }],
      ['deleteApiKey', 'DELETE', `/v1/api-key?id=${key}`],
    ];
    const frozen = new Set(FROZEN.map(([operation]) => operation));
    expect([...frozen, ...ALLOWED].sort()).toEqual([...writing].sort());
    const before = await old.rows('webhook_event');
    const [row] = await old.rows('webhook');
    for (const [, ...call] of FROZEN) {
      const { detail } = await old.expectMoved(...call);
      expect(detail).toContain('Nothing was changed');
    }
    expect(await old.rows('webhook_event')).toEqual(before);
    expect(await old.rows('webhook')).toEqual([row]);
    // Keys of admins and the webhooks of others are not frozen, and reports are accepted.
    await old.service.keyFor(user, 'admin');
    await createWebhook(old, { user_id: newUser() });
    expect((await notify(old, user)).body.triggers).toHaveLength(1);

    expect(await old.cancel()).toMatchObject({ code: 0 });
    expect((await old.call('PATCH', '/v1/webhook', { id, name: 'a' })).status).toBe(200);
    expect(await old.cancel()).toMatchObject(refused('is not moving'));
    expect(await old.finish(randomUUID())).toMatchObject(refused('is not moving'));
  });

  it('refuses an import where something is in the way, and changes nothing', async () => {
    await createWebhook(old, { user_id: user });
    await old.service.keyFor(user, 'webhooks:read');
    await old.export();
    const own = await createWebhook(fresh, { user_id: user, uid: 'crm' });
    const second = await createWebhook(fresh, { user_id: user });
    const before = await fresh.stored();
    const ended = await fresh.import();
    expect(ended).toMatchObject(refused(`webhook ${own.id} has the uid "crm"`));
    expect(ended.stderr).toContain('the user would have 4 webhooks, and WEBHOOKS_PER_USER is 3 here');
    expect(await fresh.stored()).toEqual(before);
    for (const { id } of [own, second]) await fresh.call('DELETE', `/v1/webhook?id=${id}`);
    // A file that was given up, of a user who is still there.
    await old.cancel();
    const twice = await old.import();
    expect(twice).toMatchObject(refused(`webhook ${webhook.id} is here already, of the same user`));
    expect(twice.stderr).toMatch(/API key .* is here already/);
    expect(await fresh.import()).toMatchObject({ code: 0 });
  });

  it('tells how it is used', async () => {
    const uses: [string, string[]][] = [
      ['user-export', []],
      ['user-export', ['--user', user]],
      ['user-export', ['--user', user, '--status', '--cancel']],
      ['user-export', ['--user', user, '--finish']],
      ['user-export', ['--user', user, '--out', path, '--receipt', 'x']],
      ['user-export', ['--user', user, '--out', '']],
      // MySQL takes it for the user without the blank.
      ['user-export', ['--user', `${user} `, '--out', path]],
      ['user-export', ['--user', user, '--nonsense']],
      ['user-import', []],
      ['user-import', [path, path]],
    ];
    for (const [name, args] of uses) {
      const { code, stderr } = await old.commandBeside(name, args);
      expect([args, code, stderr]).toEqual([args, 2, expect.stringMatching(/npm run user:/)]);
    }
    expect((await old.status()).stdout).toContain(': here\n');
    const later = Date.now() + 3_600_000;
    await old.service.query('UPDATE webhook SET enabled = 0, probe_at = ? WHERE id = ?', [later, webhook.id]);
    expect((await old.status()).stdout).toContain('webhooks probed until they answer: 1');
  });

  it('does not begin without what it needs', async () => {
    const refusedAs = async (reason: string, env = {}, file = path) =>
      expect(await old.export(env, file)).toMatchObject(refused(reason));
    for (const TRANSFER_KEY of ['', 'short', Buffer.alloc(31).toString('base64')])
      await refusedAs('TRANSFER_KEY: ', { TRANSFER_KEY });
    writeFileSync(path, 'mine');
    await refusedAs('There is a file');
    expect(readFileSync(path, 'utf8')).toBe('mine');
    const [nowhere, link] = [move.file('no/user.json'), move.file('link.json')];
    await refusedAs('cannot be written', {}, nowhere);
    symlinkSync(nowhere, link);
    await refusedAs('There is a file', {}, link);
    move.user = 'nobody';
    await refusedAs('has no webhook and no API key', {}, move.file('nobody.json'));
    // Nothing of this has frozen anything.
    expect((await old.call('PATCH', '/v1/webhook', { id: webhook.id, name: 'a' })).status).toBe(200);
    if (kind.name === 'SQLite')
      expect(
        await old.commandBeside('user-export', ['--user', user, '--out', move.file('used.json')]),
      ).toMatchObject(refused('is in use by a process'));
  });

  it('refuses a file that was changed, is sealed with another key, or is none', async () => {
    await old.export();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const text = readFileSync(path, 'utf8');
    const { sealed, ...open } = JSON.parse(text);
    const middle = sealed.length / 2;
    const flipped = sealed[middle] === 'A' ? 'B' : 'A';
    const changed = (fields: object) => JSON.stringify({ ...open, sealed, ...fields });
    const [noFile, wasChanged] = ['no file that user:export has written', 'was changed'];
    const bad = move.file('bad.json');
    for (const [content, reason] of [
      ['', noFile],
      [text.slice(0, -20), noFile],
      [changed({ sealed: sealed.slice(0, -10) }), wasChanged],
      [changed({ sealed: sealed.slice(0, middle) + flipped + sealed.slice(middle + 1) }), wasChanged],
      [changed({ user_id: 'somebody-else' }), wasChanged],
      [changed({ exported_at: '2020-01-01T00:00:00.000Z' }), wasChanged],
      [changed({ format: 'webhook-user-2' }), 'in the format "webhook-user-2"'],
      [changed({ format: '\u001b[2J' }), /in the format "\\u001b\[2J"/],
      [changed({ more: 1 }), noFile],
    ] as const) {
      writeFileSync(bad, content);
      expect(await fresh.commandBeside('user-import', [bad])).toMatchObject(refused(reason));
    }
    const TRANSFER_KEY = newTransferKey();
    expect(await fresh.import({ TRANSFER_KEY })).toMatchObject(refused('with another TRANSFER_KEY'));
    expect(await fresh.import({}, move.file('none.json'))).toMatchObject(refused('cannot be read'));
    expect(await fresh.stored()).toEqual(NOTHING);
  });

  it('neither opens nor seals anything with the keys of another cell', async () => {
    const keysOf = () => old.service.query('SELECT id FROM webhook_encryption_key ORDER BY id');
    const known = await keysOf();
    const lost = move.file('lost.json');
    for (const [ENCRYPTION_KEYS, reason] of [
      [`lost:${newTransferKey()}`, /never run with the encryption key "lost"/],
      [
        `${known[0]?.id}:${newTransferKey()}`,
        /ENCRYPTION_KEYS: the database was written with another key under the id/,
      ],
      [undefined, /ENCRYPTION_KEYS: is not set, and there is no .*encryption.key here/],
    ] as const) {
      const keys = { ENCRYPTION_KEYS } as Record<string, string>;
      expect(await old.export(keys, lost)).toMatchObject(refused(reason));
      expect(await keysOf()).toEqual(known);
    }
    await old.export();
    const imported = await fresh.import({ ENCRYPTION_KEYS: `lost:${newTransferKey()}` });
    expect(imported).toMatchObject(refused('start the service once first'));
    expect(await fresh.stored()).toEqual(NOTHING);
    // A secret that cannot be read, under the right key.
    await old.cancel();
    await old.service.query('UPDATE webhook SET sealed_secret = ? WHERE id = ?', ['rotten', webhook.id]);
    const unreadable = await old.export({}, lost);
    expect(unreadable).toMatchObject(refused(`secrets of ${webhook.id} cannot be decrypted`));
    expect(existsSync(lost)).toBe(false);
  });

  it('refuses a file of another format, kind or user, even if it is sealed with the right key', async () => {
    const key = readTransferKey({ TRANSFER_KEY: move.key }, []);
    await old.export();
    const { sealed, ...open } = JSON.parse(readFileSync(path, 'utf8'));
    const context = (named: string) => JSON.stringify(Object.values({ ...open, user_id: named }));
    const vault = new Vault([key]);
    const moved = JSON.parse(vault.tryOpen(sealed, context(user)) ?? '');
    const [{ events, ...first }] = moved.webhooks;
    /** What a cell that cannot be trusted would write: the names outside are bound to the seal, and not to what is in it. */
    const imported = async (change: object, named = user) => {
      const plain = JSON.stringify({ ...moved, ...change });
      writeFileSync(
        path,
        JSON.stringify({ ...open, user_id: named, sealed: vault.seal(plain, context(named)) }),
      );
      return fresh.import();
    };
    const withEvent = (change: object) => ({
      webhooks: [{ ...first, events: [{ ...events[0], ...change }] }],
    });
    const keysWith = (scopes: string, count = 1) => ({
      apiKeys: Array.from({ length: count }, (_, n) => {
        const hash = String(n).padStart(64, '0');
        return { id: randomUUID(), name: null, hash, createdAt: 1, lastUsedAt: null, scopes };
      }),
    });
    expect(await imported(keysWith('webhooks:read admin'))).toMatchObject(refused('apiKeys.0.scopes'));
    expect(await imported({}, newUser())).toMatchObject(refused('written by another version (userId'));
    expect(await imported({ userId: `${user} ` }, `${user} `)).toMatchObject(refused('userId'));
    expect(await imported(withEvent({ filter: '{"a":{"$nonsense":1}}' }))).toMatchObject(
      refused('webhooks.0.events.0.filter'),
    );
    // The compiled filter of whoever has the same hash.
    expect(await imported(withEvent({ filterHash: 'x'.repeat(22) }))).toMatchObject(
      refused('webhooks.0.events.0'),
    );
    expect(await fresh.stored()).toEqual(NOTHING);
    const filter = { score: { $gte: 10.5 } };
    const fine = { ...withEvent({ filter: JSON.stringify(filter) }), ...keysWith('webhooks:read', 2500) };
    expect(await imported(fine)).toMatchObject({ code: 0 });
    expect(await fresh.rows('webhook_api_key')).toHaveLength(2500);
    const [event] = await fresh.rows('webhook_event');
    expect(event).toMatchObject({
      filter: JSON.stringify(filter),
      filter_hash: storedFilter(filter).filterHash,
    });
  });
});
