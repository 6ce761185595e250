import { describe, expect, it } from '@jest/globals';
import { ApiKeyService, NotifierService, WebhookModule } from '../../../src/index.js';
import { filesWith } from '../../erasure/needle.js';
import { useHost } from '../../host/use-host.js';
import { expectProblem } from '../../support/api.js';
import { useUsualCallDeadline } from '../../support/call-deadline.js';
import { SQLITE } from '../../support/databases.js';
import { useService } from '../../support/fixture.js';
import { betterSqlite3, HOST_KEYS } from '../../support/host.js';
import { newUser, notify } from '../../support/scene.js';

const NEEDLE = 'needle-in-a-file';
const RECORD = { id: 'rec_1', name: NEEDLE, text: 'x'.repeat(9000), analysis: [] };

describe('the files of SQLite', () => {
  useUsualCallDeadline();
  const service = useService(SQLITE);
  const erase = (user: string) =>
    service.call('DELETE', `/v1/notification?user_id=${user}&record_id=${RECORD.id}`);
  const pathOf = (url: string) => url.slice('sqlite:'.length);

  it('are not said to be clean while a long read needs what was erased', async () => {
    const user = newUser();
    await notify(service, user, { record: RECORD });
    const { url } = service.database;
    const reader = new betterSqlite3(pathOf(url), { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT COUNT(*) FROM webhook_notification').get();
    const [refused, accepted] = await Promise.all([erase(user), notify(service, user)]);
    expect(accepted.status).toBe(202);
    expectProblem(refused, 503, 'erasure_unfinished');
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(filesWith(url, NEEDLE)).not.toEqual({});
    reader.exec('COMMIT');
    reader.close();
    expect((await erase(user)).status).toBe(200);
    expect(filesWith(url, NEEDLE)).toEqual({});
  });
});

describe('the file of an application that opened it itself', () => {
  const host = useHost(SQLITE, {
    adapter: 'Fastify',
    webhooks: WebhookModule.forRoot({ encryptionKeys: HOST_KEYS }),
  });
  const get = <T>(token: new (...all: never[]) => T) => host.app.get<T>(token, { strict: false });

  it('holds nothing of a record that was erased', async () => {
    const { key } = await get(ApiKeyService).create({ userId: 'ada', scopes: ['webhooks:write'] });
    for (let i = 0; i < 5; i++)
      await get(NotifierService).notify('record.finished', { user_id: 'ada', record: RECORD });
    expect(filesWith(host.database.url, NEEDLE)).not.toEqual({});
    const answer = await host.call('DELETE', '/v1/notification?record_id=rec_1', undefined, { key });
    expect(answer.body).toEqual({ notifications: 5, triggers: 0, cancelled: 0 });
    expect(filesWith(host.database.url, NEEDLE)).toEqual({});
  });
});
