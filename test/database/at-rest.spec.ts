import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { databases, type TestDatabase } from '../support/databases.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { finished, newUser, trigger } from '../support/scene.js';
import { ADMIN_KEY, startService, type TestService } from '../support/service.js';
import { createWebhook } from '../support/webhook.js';

describe.each(databases)('secrets at rest on $name', (kind) => {
  let database: TestDatabase;
  let service: TestService;
  let receiver: Receiver;

  beforeAll(async () => {
    database = await kind.create();
    receiver = await startReceiver();
    service = await startService(database.url);
  });
  afterAll(async () => {
    await service.stop();
    await receiver.close();
    await database.drop();
  });

  /** The contents of all tables, as text. */
  async function dump(): Promise<string> {
    const source = service.app.get(DataSource);
    const tables = source.entityMetadatas.map(({ tableName }) => source.query(`SELECT * FROM ${tableName}`));
    return JSON.stringify(await Promise.all(tables), (_, value) =>
      value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
    );
  }

  it('are stored only encrypted', async () => {
    const user = newUser();
    const headers = { Authorization: 'Bearer cr3dential', 'X-Team': 'pl4in' };
    const body = { name: 'find me', headers };
    const url = `${receiver.url}/?token=urlt0ken`;
    const { id, secret } = await createWebhook(service, { user_id: user, url, ...body });
    const key = await service.keyFor(user, 'webhooks:read');
    const keyed = { name: 'x', url: receiver.url, user_id: newUser() };
    const again = await service.call('POST', '/v1/webhook', keyed, {
      headers: { 'idempotency-key': 'once' },
    });
    expect(again.status).toBe(201);
    expect(await finished(service, await trigger(service, user))).toMatchObject({ status: 'SUCCEEDED' });
    expect(receiver.requests.at(-1)?.headers.authorization).toBe('Bearer cr3dential');
    // The webhook's URL stays readable while the webhook exists; sent requests do not.
    expect((await service.call('DELETE', `/v1/webhook?id=${id}`)).status).toBe(200);
    const stored = await dump();
    expect(stored).toContain(receiver.url);
    for (const hidden of ['cr3dential', 'pl4in', 'urlt0ken', secret, again.body.secret, key, ADMIN_KEY]) {
      expect(stored).not.toContain(hidden);
      expect(stored).not.toContain(hidden.replace(/^wh(k|sec)_/, ''));
    }
  });

  it('can be decrypted only in their own row', async () => {
    const mine = await createWebhook(service, { user_id: newUser(), url: receiver.url });
    const other = await createWebhook(service, { user_id: newUser(), url: receiver.url });
    const secretOf = (id: string) => service.call('GET', `/v1/webhook/secret?id=${id}`);
    expect((await secretOf(mine.id)).body.secret).toBe(mine.secret);
    const source = service.app.get(DataSource);
    const [{ sealed_secret }] = await source.query('SELECT sealed_secret FROM webhook WHERE id = ?', [
      other.id,
    ]);
    await source.query('UPDATE webhook SET sealed_secret = ? WHERE id = ?', [sealed_secret, mine.id]);
    const moved = await secretOf(mine.id);
    expect(moved.status).toBe(409);
    expect(moved.text).not.toContain(other.secret);
  });
});
