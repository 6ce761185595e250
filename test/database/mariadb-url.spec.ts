import { beforeEach, expect, it } from '@jest/globals';
import { describeOnMariadb } from '../support/databases.js';
import { useDatabase, useReceiver } from '../support/fixture.js';
import { finished, type Json, newUser, trigger } from '../support/scene.js';
import type { TestService } from '../support/service.js';
import { createWebhook } from '../support/webhook.js';

/** TypeORM takes this scheme for a type of its own, for which it has MariaDB return what an INSERT has stored. */
describeOnMariadb('a database whose URL begins with mariadb:', (kind) => {
  const database = useDatabase(kind, 'test');
  const receiver = useReceiver('test');
  let service: TestService;
  let user: string;

  beforeEach(async () => {
    user = newUser();
    service = await database.start({ DATABASE_URL: database.url.replace('mysql:', 'mariadb:') });
  });

  const stored = async ({ id }: Json) => (await service.call('GET', `/v1/webhook?id=${id}`)).body;

  it('answers a new webhook as it is stored', async () => {
    const { secret, ...created } = await createWebhook(service, { user_id: user, url: receiver.url });
    expect(secret).toMatch(/^whsec_/);
    expect(created).toEqual(await stored(created));
    const put = { user_id: user, uid: 'crm', name: 'n', url: receiver.url, events: ['STATUS_CHANGED'] };
    const answer = await service.call('PUT', '/v1/webhook', put);
    expect(answer.status).toBe(201);
    const { secret: other, ...rest } = answer.body;
    expect(other).not.toBe(secret);
    expect(rest).toEqual(await stored(rest));
  });

  it('delivers to it, and shows how it does', async () => {
    const webhook = await createWebhook(service, { user_id: user, url: receiver.url });
    expect(await finished(service, await trigger(service, user))).toMatchObject({ status: 'SUCCEEDED' });
    expect((await stored(webhook)).health).toMatchObject({ state: 'delivering', diagnosis: null });
  });

  it('takes events, keys and recoveries', async () => {
    const { id } = await createWebhook(service, { user_id: user, url: receiver.url, events: [] });
    const event = await service.call('POST', '/v1/webhook/event', { webhook_id: id, kind: 'STATUS_CHANGED' });
    expect(event.body).toMatchObject({ webhook_id: id, kind: 'STATUS_CHANGED', enabled: true });
    const key = await service.call('POST', '/v1/api-key', { user_id: user, scopes: ['webhooks:read'] });
    expect(key.status).toBe(201);
    const since = new Date(Date.now() - 1000).toISOString();
    const recovery = await service.call('POST', '/v1/webhook/recover', { id, since });
    expect(recovery.body).toMatchObject({ webhook_id: id });
  });
});
