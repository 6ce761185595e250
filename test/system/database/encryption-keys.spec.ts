import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { DataSource } from 'typeorm';
import { Vault } from '../../../src/platform/secret/vault.js';
import { SealedValuesRepository } from '../../../src/webhook/secret/sealed-values.repository.js';
import { pem } from '../../support/certs/pem.js';
import { databases } from '../../support/databases.js';
import { useDatabase, useReceiver } from '../../support/fixture.js';
import { newUser } from '../../support/scene.js';
import { startService, type TestService } from '../../support/service.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { K1, K2, key } from './keys.js';

const OF_WEBHOOKS = ['headers', 'authentication', 'tls', 'secret', 'previous_secrets'];
const PLACES: [table: string, column: string][] = [
  ...OF_WEBHOOKS.map((name): [string, string] => ['webhook', `sealed_${name}`]),
  ['webhook_idempotency', 'sealed_answer'],
  ['webhook_request_head', 'sealed_head'],
];

describe.each(databases)('a new encryption key on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  const receiver = useReceiver('test', { tls: 'valid' });
  const running: TestService[] = [];
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

  async function start(keys: string, env: Record<string, string> = {}): Promise<TestService> {
    const service = await startService(database.url, { ENCRYPTION_KEYS: keys, ...env });
    running.push(service);
    database.defer(() => stop(service));
    return service;
  }

  async function stop(service: TestService): Promise<void> {
    if (!running.includes(service)) return;
    running.splice(running.indexOf(service), 1);
    await service.stop();
  }

  const query = (sql: string, parameters: unknown[] = []) =>
    (running[0] as TestService).app.get(DataSource).query(sql, parameters);

  /** The number of values encrypted with each key, by column. */
  async function sealedBy(): Promise<Record<string, Record<string, number>>> {
    const counts: Record<string, Record<string, number>> = {};
    for (const [table, column] of PLACES) {
      const rows: Record<string, string>[] = await query(
        `SELECT ${column} FROM ${table} WHERE ${column} IS NOT NULL`,
      );
      const ids = rows.map((row) => String(row[column]).split('.')[0] as string);
      counts[column] = Object.fromEntries(
        [...new Set(ids)].map((id) => [id, ids.filter((one) => one === id).length]),
      );
    }
    return counts;
  }
  const everywhere = (count: number, by: string) =>
    Object.fromEntries(PLACES.map(([, column]) => [column, { [by]: count }]));

  const heard = (part: string) => until(() => logged.find((line) => line.includes(part)), { what: part });

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
    // Nothing is sent here, so no request head would be stored.
    await query(
      `INSERT INTO webhook_request_head (id, webhook_id, sealed_head, stored_at) VALUES ('head', 'w', ?, ?)`,
      [service.app.get(Vault).seal('{}', 'head'), Date.now()],
    );
    const found = await service.call('GET', `/v1/webhook?id=${id}`);
    return {
      id,
      made: made.body,
      secrets: [rotated.body.secret, made.body.secret],
      tag: found.headers.get('etag') ?? '',
    };
  }

  it('re-encrypts all values, after which the old key can be removed', async () => {
    const first = await start(K1);
    const { id, made, secrets, tag } = await scene(first);
    expect(await sealedBy()).toEqual(everywhere(1, 'k1'));
    await stop(first);

    const second = await start(`${K2},${K1}`);
    expect(await heard('re-encrypted')).toBe(
      'log: 7 values re-encrypted with key "k2"; "k1" is no longer used.',
    );
    expect(await sealedBy()).toEqual(everywhere(1, 'k2'));
    const found = await second.call('GET', `/v1/webhook?id=${id}`, undefined, {
      headers: { 'if-none-match': tag },
    });
    expect(found.status).toBe(304);
    await stop(second);

    const third = await start(K2);
    expect((await third.call('GET', `/v1/webhook/secret?id=${id}`)).body).toEqual({ secret: secrets[0] });
    const again = await third.call('POST', '/v1/webhook', body(), idempotent);
    expect(again).toMatchObject({ status: 201, body: made });
    await third.call('POST', '/v1/webhook/test', { id });
    const [request] = await receiver.waitFor(1);
    expect(request?.headers).toMatchObject({ 'x-key': 's3cret', authorization: 'Bearer s3cret' });
    for (const secret of secrets) {
      const verify = () =>
        new Webhook(secret).verify(String(request?.body), request?.headers as Record<string, string>);
      expect(verify).not.toThrow();
    }
    expect(logged.filter((line) => line.startsWith('error'))).toEqual([]);
  });

  it('reports that the old key can be removed when there is nothing to re-encrypt', async () => {
    await start(`${K2},${K1}`);
    expect(await heard('no longer used')).toMatch(/^log: 0 values/);
  });

  it('re-encrypts each value once when several instances do it together', async () => {
    const first = await start(K1);
    const user = newUser();
    // More values than fit on one page.
    const made = [];
    for (let i = 0; i < 70; i++) {
      made.push(
        await createWebhook(first, { user_id: user, url: receiver.url, headers: { 'X-Number': String(i) } }),
      );
    }
    await stop(first);
    const instances = kind.name === 'MariaDB' ? 3 : 1;
    const services = await Promise.all(Array.from({ length: instances }, () => start(`${K2},${K1}`)));
    const lines = await until(() => {
      const found = logged.filter((line) => line.includes('re-encrypted'));
      return found.length === instances ? found : null;
    });
    const counts = lines.map((line) => Number(/\d+/.exec(line)?.[0]));
    expect(counts.reduce((sum, count) => sum + count)).toBe(140);
    expect(await sealedBy()).toMatchObject({ sealed_headers: { k2: 70 }, sealed_secret: { k2: 70 } });
    for (const { id, secret, headers } of made) {
      const service = services.at(-1) as TestService;
      expect((await service.call('GET', `/v1/webhook/secret?id=${id}`)).body).toEqual({ secret });
      expect((await service.call('GET', `/v1/webhook?id=${id}`)).body).toMatchObject({ headers });
    }
  });

  it('does not overwrite a value that changed after it was read', async () => {
    const service = await start(K1);
    const { id, secrets } = await scene(service);
    const values = service.app.get(SealedValuesRepository, { strict: false });
    const [place] = values.tables;
    if (!place) throw new Error('There is no place.');
    const read = await values.page(place, '');
    expect(read.values.map(({ column }) => column)).toEqual(place.columns);
    const rotated = await service.call('POST', '/v1/webhook/secret/rotate', { id });
    expect(await values.replace(read.values.map((value) => ({ value, by: 'k2.lost' })))).toBe(3);
    const [row] = await query('SELECT * FROM webhook');
    expect(row.sealed_headers).toBe('k2.lost');
    expect([row.sealed_secret, row.sealed_previous_secrets].join()).not.toContain('lost');
    const shown = await service.call('GET', `/v1/webhook/secret?id=${id}`);
    expect(shown.body).toEqual({ secret: rotated.body.secret });
    expect(shown.body.secret).not.toBe(secrets[0]);
  });

  it('leaves and reports values that no key decrypts, and still starts', async () => {
    const first = await start(K1);
    const lost = await createWebhook(first, { user_id: newUser(), url: receiver.url });
    const spoilt = await createWebhook(first, { user_id: newUser(), url: receiver.url });
    const fine = await createWebhook(first, { user_id: newUser(), url: receiver.url });
    await query(`UPDATE webhook SET sealed_secret = 'k0.AAAA' WHERE id = ?`, [lost.id]);
    await query(`UPDATE webhook SET sealed_secret = 'k1.AAAA' WHERE id = ?`, [spoilt.id]);
    await stop(first);
    const second = await start(`${K2},${K1},${key('k3', 3)}`);
    await heard('"k0" cannot be opened');
    expect(logged).toEqual([
      'log: 4 values re-encrypted with key "k2"; "k3" is no longer used.',
      expect.stringMatching(/^error: 1 values sealed with key "k0" cannot be opened and were left/),
      expect.stringMatching(/^error: 1 values sealed with key "k1" cannot be opened and were left/),
    ]);
    expect(await sealedBy()).toMatchObject({
      sealed_headers: { k2: 3 },
      sealed_secret: { k0: 1, k1: 1, k2: 1 },
    });
    const { status, body: shown } = await second.call('GET', `/v1/webhook/secret?id=${fine.id}`);
    expect({ status, secret: shown.secret }).toEqual({ status: 200, secret: fine.secret });
  });

  it('tries again a minute after a failure', async () => {
    const first = await start(K1);
    await scene(first);
    await stop(first);
    const { page } = SealedValuesRepository.prototype;
    const failing = jest
      .spyOn(SealedValuesRepository.prototype, 'page')
      .mockRejectedValueOnce(new Error('gone away'));
    const { systemClock } = await import('../../../src/platform/clock.js');
    const waits: number[] = [];
    const after = jest.spyOn(systemClock, 'after').mockImplementation((ms, run) => {
      const timer = setTimeout(run, ms === 60_000 ? 1 : ms).unref();
      waits.push(ms);
      return () => clearTimeout(timer);
    });
    const second = await start(`${K2},${K1}`);
    expect(await heard('not re-encrypted yet')).toBe('error: Values not re-encrypted yet: gone away');
    expect(await heard('no longer used')).toMatch(/^log: 7 values/);
    expect(await sealedBy()).toEqual(everywhere(1, 'k2'));
    expect(waits).toContain(60_000);
    // Other instances may still encrypt with the old key, so it checks again after an hour.
    await until(() => waits.includes(3_600_000));
    await stop(second);
    after.mockRestore();
    failing.mockRestore();
    expect(SealedValuesRepository.prototype.page).toBe(page);
  });

  it('is applied to stored values only by processes that deliver', async () => {
    const first = await start(K1);
    await scene(first);
    await stop(first);
    const look = jest.spyOn(SealedValuesRepository.prototype, 'page');
    await start(`${K2},${K1}`, { ROLE: 'api' });
    expect(look).not.toHaveBeenCalled();
    expect(await sealedBy()).toEqual(everywhere(1, 'k1'));
    if (kind.name === 'SQLite') await stop(running[0] as TestService);
    await start(`${K2},${K1}`, { ROLE: 'worker' });
    await heard('no longer used');
    expect(await sealedBy()).toEqual(everywhere(1, 'k2'));
  });
});
