import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Webhook } from 'standardwebhooks';
import { WebhookModule } from '../../src/index.js';
import { TestClock } from '../../src/module/testing/test-clock.js';
import { Vault } from '../../src/platform/secret/vault.js';
import { EncryptionKeyRepository } from '../../src/webhook/secret/encryption-key.repository.js';
import { SealedValuesRepository } from '../../src/webhook/secret/sealed-values.repository.js';
import { pem } from '../support/certs/pem.js';
import { useClock } from '../support/clock.js';
import { databases } from '../support/databases.js';
import { useDatabase, useReceiver } from '../support/fixture.js';
import { hostDataSource, startHost } from '../support/host.js';
import { K1, K2, key } from '../support/keys.js';
import { newUser } from '../support/scene.js';
import type { TestService } from '../support/service.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

const OF_WEBHOOKS = ['headers', 'authentication', 'tls', 'secret', 'previous_secrets'];
const PLACES: [table: string, column: string][] = [
  ...OF_WEBHOOKS.map((name): [string, string] => ['webhook', `sealed_${name}`]),
  ['webhook_idempotency', 'sealed_answer'],
  ['webhook_request_head', 'sealed_head'],
];
const OLD = new Vault([{ id: 'k1', key: Buffer.alloc(32, 1) }]);
/** Are on more than one page. */
const MANY = Array.from({ length: 120 }, (_, number) => `head-${number}`);

const secretOf = async (service: TestService, id: string) =>
  (await service.call('GET', `/v1/webhook/secret?id=${id}`)).body.secret;

describe.each(databases)('a new encryption key on $name', (kind) => {
  const database = useDatabase(kind, 'test', 'migrated');
  const receiver = useReceiver('block', { tls: 'valid' });
  let logged: string[];

  beforeEach(() => {
    logged = [];
    for (const level of ['log', 'warn', 'error'] as const) {
      jest.spyOn(Logger.prototype, level).mockImplementation(function (this: Logger, message: unknown) {
        if ('context' in this && this.context === 'Encryption') logged.push(`${level}: ${message}`);
      });
    }
  });
  afterEach(() => void jest.restoreAllMocks());

  const start = (keys: string, env = {}) => database.start({ ENCRYPTION_KEYS: keys, ...env });
  const heard = (part: string) => until(() => logged.find((line) => line.includes(part)), { what: part });

  /** The keys of all encrypted values, by column. */
  async function sealedBy(service: TestService): Promise<Record<string, string[]>> {
    const ids: Record<string, string[]> = {};
    for (const [table, column] of PLACES) {
      const rows = await service.query(
        `SELECT ${column} AS sealed FROM ${table} WHERE ${column} IS NOT NULL`,
      );
      ids[column] = rows.map(({ sealed }) => String(sealed).replace(/\..*/, '')).sort();
    }
    return ids;
  }
  const everywhere = (id: string) => Object.fromEntries(PLACES.map(([, column]) => [column, [id]]));

  /** As those of requests that were sent; each is its id, sealed. */
  async function storeHeads(service: TestService, ids: readonly string[], vault = service.get(Vault)) {
    await service.query(
      `INSERT INTO webhook_request_head (id, webhook_id, sealed_head, stored_at)
       VALUES ${ids.map(() => `(?, 'w', ?, ${Date.now()})`).join()}`,
      ids.flatMap((id) => [id, vault.seal(id, id)]),
    );
  }

  const idempotent = { headers: { 'idempotency-key': 'once' } };
  const body = () => ({
    name: 'x',
    url: receiver.url,
    events: ['RECORD_FINISHED'],
    headers: { 'X-Key': 's3cret' },
    authentication: { type: 'bearer', token: 's3cret' },
    tls: { ca: pem('valid.cert') },
  });

  /** Creates a webhook with a value in every encrypted column. */
  async function scene(service: TestService) {
    const made = await service.call('POST', '/v1/webhook', body(), idempotent);
    expect(made.status).toBe(201);
    const { id } = made.body;
    const rotated = await service.call('POST', '/v1/webhook/secret/rotate', { id, overlap_seconds: 600 });
    await storeHeads(service, ['head']);
    const { headers } = await service.call('GET', `/v1/webhook?id=${id}`);
    const secrets: string[] = [rotated.body.secret, made.body.secret];
    return { id, made: made.body, secrets, tag: headers.get('etag') ?? '' };
  }

  it('re-encrypts all values where deliveries are made, after which the old key can be removed', async () => {
    const first = await start(K1);
    const { id, made, secrets, tag } = await scene(first);
    expect(await sealedBy(first)).toEqual(everywhere('k1'));
    await first.stop();

    const api = await start(`${K2},${K1}`, { ROLE: 'api' });
    await api.stop();
    expect(logged).toEqual([]);

    const second = await start(`${K2},${K1}`);
    expect(await heard('re-encrypted')).toBe(
      'log: 7 values re-encrypted with key "k2"; "k1" is no longer used.',
    );
    expect(await sealedBy(second)).toEqual(everywhere('k2'));
    const unchanged = { headers: { 'if-none-match': tag } };
    expect((await second.call('GET', `/v1/webhook?id=${id}`, undefined, unchanged)).status).toBe(304);
    await second.stop();

    const third = await start(K2);
    expect(await secretOf(third, id)).toBe(secrets[0]);
    const again = await third.call('POST', '/v1/webhook', body(), idempotent);
    expect(again).toMatchObject({ status: 201, body: made });
    await third.call('POST', '/v1/webhook/test', { id });
    await receiver.waitFor((requests) => requests.length > 0);
    const [request] = receiver.requests.splice(0);
    expect(request?.headers).toMatchObject({ 'x-key': 's3cret', authorization: 'Bearer s3cret' });
    for (const secret of secrets) {
      const verify = () =>
        new Webhook(secret).verify(String(request?.body), request?.headers as Record<string, string>);
      expect(verify).not.toThrow();
    }
    expect(logged.filter((line) => line.startsWith('error'))).toEqual([]);
  });

  it('re-encrypts each value once when several instances do it together', async () => {
    const first = await start(K1);
    await storeHeads(first, MANY);
    await first.stop();
    const instances = kind.name === 'MariaDB' ? 3 : 1;
    const [service] = await Promise.all(Array.from({ length: instances }, () => start(`${K2},${K1}`)));
    await until(() => logged.length === instances);
    const counts = logged.map((line) => Number(/^log: (\d+) values re-encrypted/.exec(line)?.[1]));
    expect(counts.reduce((sum, count) => sum + count)).toBe(MANY.length);
    const rows = await (service as TestService).query('SELECT id, sealed_head FROM webhook_request_head');
    const vault = new Vault([{ id: 'k2', key: Buffer.alloc(32, 2) }]);
    for (const { id, sealed_head } of rows) expect(vault.open(sealed_head, id)).toBe(id);
    expect(rows).toHaveLength(MANY.length);
  });

  it('does not overwrite a value that changed after it was read, and says if there is nothing to do', async () => {
    const service = await start(`${K2},${K1}`);
    expect(await heard('no longer used')).toMatch(/^log: 0 values/);
    const { id, secrets } = await scene(service);
    const values = service.get(SealedValuesRepository);
    const [place] = values.tables;
    if (!place) throw new Error('There is no place.');
    const read = await values.page(place, '');
    expect(read.values.map(({ column }) => column)).toEqual(place.columns);
    const rotated = await service.call('POST', '/v1/webhook/secret/rotate', { id });
    expect(await values.replace(read.values.map((value) => ({ value, by: 'k2.lost' })))).toBe(3);
    const [row] = await service.query('SELECT * FROM webhook');
    expect(row.sealed_headers).toBe('k2.lost');
    expect([row.sealed_secret, row.sealed_previous_secrets].join()).not.toContain('lost');
    expect(rotated.body.secret).not.toBe(secrets[0]);
    expect(await secretOf(service, id)).toBe(rotated.body.secret);
  });

  it('leaves and reports values that no key decrypts, and still starts', async () => {
    const first = await start(K1);
    const create = () => createWebhook(first, { user_id: newUser(), url: receiver.url });
    const [lost, spoilt, fine] = [await create(), await create(), await create()];
    await first.query(`UPDATE webhook SET sealed_secret = 'k0.AAAA' WHERE id = ?`, [lost.id]);
    await first.query(`UPDATE webhook SET sealed_secret = 'k1.AAAA' WHERE id = ?`, [spoilt.id]);
    await first.stop();
    const second = await start(`${K2},${K1},${key('k3', 3)}`);
    await heard('"k1" cannot be opened');
    expect(logged).toEqual([
      'log: 4 values re-encrypted with key "k2"; "k3" is no longer used.',
      expect.stringMatching(/^error: 1 values sealed with key "k0" cannot be opened and were left/),
      expect.stringMatching(/^error: 1 values sealed with key "k1" cannot be opened and were left/),
    ]);
    expect(await sealedBy(second)).toMatchObject({
      sealed_headers: ['k2', 'k2', 'k2'],
      sealed_secret: ['k0', 'k1', 'k2'],
    });
    expect(await secretOf(second, fine.id)).toBe(fine.secret);
  });

  it('tries again a minute after a failure, and every hour, as others may still use the old key', async () => {
    const clock = new TestClock();
    database.defer(useClock(clock));
    const { prototype } = SealedValuesRepository;
    const look = jest.spyOn(prototype, 'page').mockRejectedValueOnce(new Error('gone away'));
    const service = await start(`${K2},${K1}`);
    await heard('error: Could not re-encrypt values: gone away');
    for (const [minutes, heads] of [
      [1, ['first']],
      [60, ['second', 'third']],
    ] as const) {
      const { length } = look.mock.calls;
      clock.advance((minutes - 1) * 60_000);
      await storeHeads(service, heads, OLD);
      expect(look).toHaveBeenCalledTimes(length);
      clock.advance(60_000);
      await heard(`log: ${heads.length} values re-encrypted`);
    }
    expect(logged).toHaveLength(3);
  });
});

const K1_WRONG = key('k1', 9);

describe.each(databases)('a start with a key that the database was not written with, on $name', (kind) => {
  const database = useDatabase(kind, 'test', 'migrated');
  afterEach(() => void jest.restoreAllMocks());

  const start = (keys: string) => database.start({ ENCRYPTION_KEYS: keys });
  const succeed = async (keys: string) => (await start(keys)).stop();
  /** By an application, which closes its database when it cannot start. */
  const refused = (encryptionKeys: string, reason: string) => {
    const started = startHost({
      adapter: 'Fastify',
      database: TypeOrmModule.forRoot(hostDataSource(database.url)),
      webhooks: WebhookModule.forRoot({ encryptionKeys }),
    });
    return expect(started).rejects.toThrow(reason);
  };

  it('fails, names the option and the key, and says what to do', async () => {
    const first = await start(K1);
    const { id, secret } = await createWebhook(first, { user_id: newUser() });
    await first.stop();
    await refused(
      `${K2},${K1_WRONG}`,
      'encryptionKeys: the database was written with another key under the id "k1". ' +
        'Restore that key; or, if this is a new one, give it another id and keep the former key behind it: new-id:…,k1:…',
    );
    const restored = await start(K1);
    expect(await secretOf(restored, id)).toBe(secret);
    const rows = await restored.query('SELECT id, sealed_check FROM webhook_encryption_key');
    expect(rows).toEqual([{ id: 'k1', sealed_check: expect.stringMatching(/^k1\.[\w-]{38}$/) }]);
  });

  it('fails even where nothing was encrypted yet, but not with a new id, with and without the former key', async () => {
    await succeed(K1);
    await refused(K1_WRONG, 'under the id "k1"');
    await succeed(`${K2},${K1}`);
    await succeed(K2);
    await refused(key('k2', 8), 'under the id "k2"');
  });

  it('fails, too, where an older version wrote the data, of which some is damaged, but not with another id', async () => {
    const first = await start(K1);
    const { id, secret } = await createWebhook(first, { user_id: newUser() });
    const damaged = await createWebhook(first, { user_id: newUser() });
    await first.query(`UPDATE webhook SET sealed_secret = 'k1.AAAA' WHERE id = ?`, [damaged.id]);
    // That version had no check values.
    await first.query('DELETE FROM webhook_encryption_key');
    await first.stop();
    await refused(K1_WRONG, 'under the id "k1"');
    await succeed(key('k_', 9));
    expect(await secretOf(await start(K1), id)).toBe(secret);
  });

  it('passes where the database does not answer, as it may be back later', async () => {
    const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
    const asked = jest.spyOn(EncryptionKeyRepository.prototype, 'all').mockRejectedValueOnce(away);
    await succeed(K1);
    expect(asked).toHaveBeenCalled();
  });

  it('fails in all processes but those with the same key, when several start with a new id', async () => {
    await succeed(K1);
    const known = jest.spyOn(EncryptionKeyRepository.prototype, 'all');
    // As it was before the first one added its key.
    known.mockResolvedValueOnce([]);
    await refused(K1_WRONG, 'under the id "k1"');
    known.mockResolvedValueOnce([]);
    await succeed(K1);
    expect(known).toHaveBeenCalledTimes(4);
  });
});
