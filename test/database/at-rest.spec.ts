import { describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { finished, newUser, trigger } from '../support/scene.js';
import { ADMIN_KEY } from '../support/service.js';
import { createWebhook } from '../support/webhook.js';

describe.each(databases)('secrets at rest on $name', (kind) => {
  const service = useService(kind);
  const receiver = useReceiver();

  /** The contents of all tables, as text. */
  async function dump(): Promise<string> {
    const tables = service
      .get(DataSource)
      .entityMetadatas.map(({ tableName }) => service.query(`SELECT * FROM ${tableName}`));
    return JSON.stringify(await Promise.all(tables), (_, value) =>
      value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
    );
  }

  it('are stored only encrypted', async () => {
    const user = newUser();
    const headers = { Authorization: 'Bearer cr3dential', 'X-Team': 'pl4in' };
    const url = `${receiver.url}/?token=urlt0ken`;
    const { id, secret } = await createWebhook(service, { user_id: user, url, headers });
    const key = await service.keyFor(user, 'webhooks:read');
    const keyed = { name: 'x', url: receiver.url, user_id: newUser() };
    const once = { headers: { 'idempotency-key': 'once' } };
    const again = await service.call('POST', '/v1/webhook', keyed, once);
    expect(await finished(service, await trigger(service, user))).toMatchObject({ status: 'SUCCEEDED' });
    expect(receiver.requests[0]?.headers.authorization).toBe('Bearer cr3dential');
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
    const [mine, other] = [await createWebhook(service), await createWebhook(service)];
    const secretOf = (id: string) => service.call('GET', `/v1/webhook/secret?id=${id}`);
    expect((await secretOf(mine.id)).body.secret).toBe(mine.secret);
    const [{ sealed_secret }] = (await service.query('SELECT sealed_secret FROM webhook WHERE id = ?', [
      other.id,
    ])) as [{ sealed_secret: string }];
    await service.query('UPDATE webhook SET sealed_secret = ? WHERE id = ?', [sealed_secret, mine.id]);
    const moved = await secretOf(mine.id);
    expect(moved.status).toBe(409);
    expect(moved.text).not.toContain(other.secret);
  });
});
