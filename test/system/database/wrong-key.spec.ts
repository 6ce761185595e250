import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { WebhookModule } from '../../../src/index.js';
import { EncryptionKeyRepository } from '../../../src/webhook/secret/encryption-key.repository.js';
import { databases } from '../../support/databases.js';
import { useDatabase } from '../../support/fixture.js';
import { hostDataSource, startHost } from '../../support/host.js';
import { newUser } from '../../support/scene.js';
import type { TestService } from '../../support/service.js';
import { createWebhook } from '../../support/webhook.js';
import { spawnService } from '../support/process.js';
import { K1, K2, key } from './keys.js';

const K1_WRONG = key('k1', 9);

describe.each(databases)('a start with a key that the database was not written with, on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const start = (keys: string) => database.start({ ENCRYPTION_KEYS: keys });
  /** Starts a process that has to fail. @returns what it printed. */
  async function refused(keys: string): Promise<string> {
    const service = await spawnService({ DATABASE_URL: database.url, ENCRYPTION_KEYS: keys });
    expect(await service.exited).toEqual({ code: 1, signal: null });
    return service.output;
  }
  const query = (service: TestService, sql: string, parameters: unknown[] = []) =>
    service.app.get(DataSource).query(sql, parameters);
  const secretOf = async (service: TestService, id: string) =>
    (await service.call('GET', `/v1/webhook/secret?id=${id}`)).body.secret;

  it('fails, names the variable and the key, and says what to do', async () => {
    const first = await start(K1);
    const { id, secret } = await createWebhook(first, { user_id: newUser() });
    await first.stop();
    const message =
      'The configuration is not valid:\n  ENCRYPTION_KEYS: the database was written with another key under the id "k1". ' +
      'Restore that key; or, if this is a new one, give it another id and keep the former key behind it: new-id:…,k1:…';
    expect(await refused(`${K2},${K1_WRONG}`)).toBe(`${message}\n`);
    const restored = await start(K1);
    expect(await secretOf(restored, id)).toBe(secret);
    const rows = await query(restored, 'SELECT id, sealed_check FROM webhook_encryption_key');
    expect(rows).toEqual([{ id: 'k1', sealed_check: expect.stringMatching(/^k1\.[\w-]{38}$/) }]);
  });

  it('fails even where nothing was encrypted yet', async () => {
    await (await start(K1)).stop();
    expect(await refused(K1_WRONG)).toContain('under the id "k1"');
  });

  it('succeeds with a new key under another id, with and without the former one behind it', async () => {
    await (await start(K1)).stop();
    await (await start(`${K2},${K1}`)).stop();
    await (await start(K2)).stop();
    expect(await refused(key('k2', 8))).toContain('under the id "k2"');
  });

  describe('where an older version wrote the data', () => {
    /** A webhook of that version: its database has no check values. */
    async function written() {
      const first = await start(K1);
      const webhook = await createWebhook(first, { user_id: newUser() });
      await query(first, 'DELETE FROM webhook_encryption_key');
      return { first, webhook };
    }

    it('fails too, and succeeds with the right key', async () => {
      const { first, webhook } = await written();
      await first.stop();
      expect(await refused(K1_WRONG)).toContain('under the id "k1"');
      const second = await start(K1);
      expect(await secretOf(second, webhook.id)).toBe(webhook.secret);
    });

    it('is not misled by a value that is damaged', async () => {
      const { first } = await written();
      const damaged = await createWebhook(first, { user_id: newUser() });
      await query(first, `UPDATE webhook SET sealed_secret = 'k1.AAAA' WHERE id = ?`, [damaged.id]);
      await first.stop();
      await start(K1);
    });

    it('takes a key whose id is another one as new, even if the ids look alike', async () => {
      await (await written()).first.stop();
      await start(key('k_', 9));
    });
  });

  it('passes where the database does not answer, as it may be back later', async () => {
    const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
    const asked = jest.spyOn(EncryptionKeyRepository.prototype, 'all').mockRejectedValueOnce(away);
    await start(K1);
    expect(asked).toHaveBeenCalled();
  });

  if (kind.name === 'SQLite') return;

  it('fails in all processes but those with the same key, when several start with a new id', async () => {
    await (await start(K2)).stop();
    const starts = [K1, K1_WRONG, K1, K1_WRONG].map(async (encryptionKeys) => {
      const host = await startHost({
        adapter: 'Fastify',
        database: TypeOrmModule.forRoot(hostDataSource(database.url)),
        webhooks: WebhookModule.forRoot({ encryptionKeys }),
      });
      database.defer(() => host.app.close());
    });
    const ends = (await Promise.allSettled(starts)).map((end) =>
      end.status === 'fulfilled' ? 'started' : String(end.reason),
    );
    const [right = '', wrong = '', ...others] = ends;
    expect(others).toEqual([right, wrong]);
    expect([right, wrong].sort()).toEqual([
      expect.stringMatching(/encryptionKeys: .* another key under the id "k1"/),
      'started',
    ]);
  });
});
