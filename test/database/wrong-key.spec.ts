import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WebhookModule } from '../../src/index.js';
import { ConfigError } from '../../src/platform/config/config-error.js';
import { loadConfig } from '../../src/platform/config/load-config.js';
import { Vault } from '../../src/platform/secret/vault.js';
import { Database } from '../../src/store/database.js';
import { createDataSource, dataSourceOptions } from '../../src/store/schema/data-source.js';
import { EncryptionKeyRepository } from '../../src/webhook/secret/encryption-key.repository.js';
import { EncryptionKeyCheck } from '../../src/webhook/secret/encryption-key-check.js';
import { databases } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';
import { hostDataSource, startHost } from '../support/host.js';
import { K1, K2, key } from '../support/keys.js';
import { newUser } from '../support/scene.js';
import type { TestService } from '../support/service.js';
import { createWebhook } from '../support/webhook.js';

const K1_WRONG = key('k1', 9);

describe.each(databases)('a start with a key that the database was not written with, on $name', (kind) => {
  const database = useDatabase(kind, 'test', 'migrated');
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const start = (keys: string) => database.start({ ENCRYPTION_KEYS: keys });
  const succeed = async (keys: string) => (await start(keys)).stop();
  /** An application, which closes its database when it cannot start. */
  const startApplication = async (encryptionKeys: string) => {
    const { app } = await startHost({
      adapter: 'Fastify',
      database: TypeOrmModule.forRoot(hostDataSource(database.url)),
      webhooks: WebhookModule.forRoot({ encryptionKeys }),
    });
    database.defer(() => app.close());
  };
  /** @returns what the operator of a service that must not start is shown. */
  async function refused(keys: string): Promise<string> {
    const dataSource = await createDataSource(dataSourceOptions(database.url)).initialize();
    const { encryptionKeys } = loadConfig({ DATABASE_URL: database.url, ENCRYPTION_KEYS: keys });
    const repository = new EncryptionKeyRepository(new Database(dataSource));
    const error = await new EncryptionKeyCheck(new Vault(encryptionKeys ?? []), repository)
      .run()
      .catch((one) => one);
    await dataSource.destroy();
    expect(error).toBeInstanceOf(ConfigError);
    return error.message;
  }
  const secretOf = async (service: TestService, id: string) =>
    (await service.call('GET', `/v1/webhook/secret?id=${id}`)).body.secret;

  it('fails, names the variable and the key, and says what to do', async () => {
    const first = await start(K1);
    const { id, secret } = await createWebhook(first, { user_id: newUser() });
    await first.stop();
    expect(await refused(`${K2},${K1_WRONG}`)).toBe(
      'The configuration is not valid:\n  ENCRYPTION_KEYS: the database was written with another key under the id "k1". ' +
        'Restore that key; or, if this is a new one, give it another id and keep the former key behind it: new-id:…,k1:…',
    );
    const restored = await start(K1);
    expect(await secretOf(restored, id)).toBe(secret);
    const rows = await restored.query('SELECT id, sealed_check FROM webhook_encryption_key');
    expect(rows).toEqual([{ id: 'k1', sealed_check: expect.stringMatching(/^k1\.[\w-]{38}$/) }]);
  });

  it('fails even where nothing was encrypted yet, but not with a new id, with and without the former key', async () => {
    await succeed(K1);
    expect(await refused(K1_WRONG)).toContain('under the id "k1"');
    await succeed(`${K2},${K1}`);
    await succeed(K2);
    const wrong = startApplication(key('k2', 8));
    await expect(wrong).rejects.toThrow(/encryptionKeys: .* another key under the id "k2"/);
  });

  it('fails, too, where an older version wrote the data, of which some is damaged, but not with another id', async () => {
    const first = await start(K1);
    const { id, secret } = await createWebhook(first, { user_id: newUser() });
    const damaged = await createWebhook(first, { user_id: newUser() });
    await first.query(`UPDATE webhook SET sealed_secret = 'k1.AAAA' WHERE id = ?`, [damaged.id]);
    // That version had no check values.
    await first.query('DELETE FROM webhook_encryption_key');
    await first.stop();
    expect(await refused(K1_WRONG)).toContain('under the id "k1"');
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
    expect(await refused(K1_WRONG)).toContain('under the id "k1"');
    known.mockResolvedValueOnce([]);
    await succeed(K1);
    expect(known).toHaveBeenCalledTimes(4);
  });
});
